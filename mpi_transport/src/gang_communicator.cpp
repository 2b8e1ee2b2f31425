// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/mpi/gang_communicator.hpp"

#include "slipway/base/error.hpp"

namespace slipway::detail {

void refuse_communicator(const Gang& gang) {
  if (gang.communicator().has_value()) {
    throw UsageError(
        "the communicator of a gang was asked for as another type than MPI_Comm. Use mpi_communicator<MPI_Comm>(gang), "
        "with the mpi.h that slipway was built with");
  }
  throw UsageError(
      "there is no MPI communicator for this gang (its ranks are threads of one process, or MPI was initialised below "
      "MPI_THREAD_MULTIPLE). Run the program under mpirun or srun, or let slipway initialise MPI");
}

}  // namespace slipway::detail
