// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace slipway::launching {

// To be called when launch returns in a rank: what main does from here on can still fail, and an mpirun that lets ranks
// die does not say so. Leaves RunDirectory::main_file, which goes when the process exits with 0.
void watch_rest_of_main(const std::string& run_directory, std::uint32_t rank);

}  // namespace slipway::launching
