// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/state/hdf5_version.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

namespace slipway::detail {

std::optional<std::string> hdf5_version() {
  using GetVersion = int(unsigned*, unsigned*, unsigned*);
  auto* const get_version = reinterpret_cast<GetVersion*>(::dlsym(RTLD_DEFAULT, "H5get_libversion"));
  if (!get_version) return std::nullopt;
  unsigned major = 0;
  unsigned minor = 0;
  unsigned release = 0;
  if (get_version(&major, &minor, &release) < 0) return std::nullopt;
  return fmt::format("{}.{}.{}", major, minor, release);
}

}  // namespace slipway::detail
