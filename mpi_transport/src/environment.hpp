// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace slipway::detail {

// MPI must not be finalized any more.
void declare_mpi_unhealthy() noexcept;

// "library, version; thread level".
const char* thread_level_name(int level);

}  // namespace slipway::detail
