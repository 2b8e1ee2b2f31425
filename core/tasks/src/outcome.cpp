// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/tasks/outcome.hpp"

#include <cstdint>
#include <string>
#include <utility>

#include "slipway/rpc/archive.hpp"
#include "slipway/rpc/endpoint.hpp"
#include "slipway/tasks/task_error.hpp"

namespace slipway::detail {

namespace {

// Members keep their order: they go over the wire.
enum class Ending : std::uint8_t { success, failed, cancelled, stopped, lost, value_lost };

struct Failure {
  HandlerRan ran = HandlerRan::no;
  std::uint32_t rank = 0;
  std::uint32_t attempt = 1;
  std::string message;
  std::string type;
  std::string text;
  std::string path;
};

std::pair<Ending, Failure> describe(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const TaskError& task) {
    const TaskFailure& failure = task.failure();
    return {Ending::failed,
            {task.handler_ran(), failure.rank, failure.attempt, task.what(), failure.type, failure.text, failure.path}};
  } catch (const Cancelled& cancelled) {
    return {Ending::cancelled, {.ran = cancelled.handler_ran(), .message = cancelled.what()}};
  } catch (const Stopped& stopped) {
    return {Ending::stopped, {.message = stopped.what()}};
  } catch (const ValueLost& lost) {
    return {Ending::value_lost, {.ran = lost.handler_ran(), .rank = lost.rank(), .message = lost.what()}};
  } catch (const PeerLost& lost) {
    return {Ending::lost, {.ran = lost.handler_ran(), .rank = lost.rank(), .message = lost.what()}};
  } catch (...) {
    const RemoteFailure failure = describe_exception(error);
    return {Ending::failed,
            {.message = failure.type + ": " + failure.text, .type = failure.type, .text = failure.text}};
  }
}

}  // namespace

void write_success(Writer& writer) { encode(writer, Ending::success); }

void write_failure(Writer& writer, const std::exception_ptr& error) {
  const auto [ending, failure] = describe(error);
  encode(writer, ending);
  encode(writer, failure);
}

void read_outcome(Reader& reader) {
  Ending ending = Ending::success;
  decode(reader, ending);
  if (ending == Ending::success) return;
  Failure failure;
  decode(reader, failure);
  switch (ending) {
    case Ending::cancelled:
      throw Cancelled(failure.message, failure.ran);
    case Ending::stopped:
      throw Stopped(failure.message);
    case Ending::lost:
      throw PeerLost(failure.message, failure.ran, failure.rank);
    case Ending::value_lost:
      throw ValueLost(failure.message, failure.ran, failure.rank);
    default:
      throw TaskError(failure.message, {failure.type, failure.text, failure.path, failure.rank, failure.attempt},
                      failure.ran);
  }
}

}  // namespace slipway::detail
