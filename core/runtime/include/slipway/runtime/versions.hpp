// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace slipway {

struct VersionOf {
  std::string what;     // "slipway", "wire format", ...
  std::string version;  // "none" for what is not there
};

// Of slipway itself and of what the core knows: wire and state format, compiler, the program's HDF5.
std::vector<VersionOf> core_versions();

}  // namespace slipway
