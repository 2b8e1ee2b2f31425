// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/runtime/versions.hpp"

#include "slipway/rpc/wire.hpp"
#include "slipway/state/hdf5_version.hpp"
#include "slipway/state/saved_state.hpp"

namespace slipway {

std::vector<VersionOf> core_versions() {
#ifdef __clang__
  const std::string compiler = __VERSION__;  // names Clang itself
#else
  const std::string compiler = "GCC " __VERSION__;
#endif
  return {{"slipway", SLIPWAY_VERSION},
          {"wire format", std::to_string(wire::version)},
          {"state format", std::to_string(SavedState::schema)},
          {"compiler", compiler},
          {"HDF5", detail::hdf5_version().value_or("none")}};
}

}  // namespace slipway
