// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

// Open MPI's fault tolerance, when it was built in and switched on (`mpirun --with-ft ulfm`). Elsewhere nothing is
// ever reported here.
namespace slipway::detail {

bool fault_tolerance_on();

// Whether an error code says that some process is gone.
bool is_process_failure(int code);

// The ranks of the communicator that MPI knows to be gone. Receives of any source work again afterwards.
std::vector<std::uint32_t> failed_ranks(MPI_Comm communicator);

}  // namespace slipway::detail
