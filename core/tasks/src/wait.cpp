// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/tasks/wait.hpp"

namespace slipway::detail {

Outcome outcome_of(const std::exception_ptr& error) {
  if (!error) return Outcome::ok;
  try {
    std::rethrow_exception(error);
  } catch (const Cancelled&) {
    return Outcome::cancelled;
  } catch (const PeerLost&) {
    return Outcome::lost;
  } catch (const Stopped&) {
    return Outcome::lost;
  } catch (...) {
    return Outcome::failed;
  }
}

}  // namespace slipway::detail
