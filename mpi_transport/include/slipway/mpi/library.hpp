// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace slipway {

// Name and version of the MPI library, as in "Open MPI v4.1.4". Also before MPI is initialised. Any thread.
std::string mpi_library();

}  // namespace slipway
