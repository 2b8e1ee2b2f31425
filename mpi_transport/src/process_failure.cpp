// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "process_failure.hpp"

#include "checked_mpi.hpp"

#if defined(OPEN_MPI) && __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

namespace slipway::detail {

#if defined(OMPI_HAVE_MPI_EXT_FTMPI) && OMPI_HAVE_MPI_EXT_FTMPI

bool fault_tolerance_on() {
  int* value = nullptr;
  int found = 0;
  check(MPI_Comm_get_attr(MPI_COMM_WORLD, MPIX_FT, &value, &found));
  return found && value && *value;
}

bool is_process_failure(int code) {
  int error_class = code;
  MPI_Error_class(code, &error_class);
  return error_class == MPIX_ERR_PROC_FAILED || error_class == MPIX_ERR_PROC_FAILED_PENDING ||
         error_class == MPIX_ERR_REVOKED;
}

std::vector<std::uint32_t> failed_ranks(MPI_Comm communicator) {
  MPI_Group failed = MPI_GROUP_NULL;
  check(MPIX_Comm_get_failed(communicator, &failed));
  int count = 0;
  check(MPI_Group_size(failed, &count));
  std::vector<int> inner(static_cast<std::size_t>(count));
  std::vector<int> outer(inner.size());
  if (count > 0) {
    check(MPIX_Comm_failure_ack(communicator));
    MPI_Group group = MPI_GROUP_NULL;
    for (int i = 0; i < count; ++i) inner[static_cast<std::size_t>(i)] = i;
    check(MPI_Comm_group(communicator, &group));
    check(MPI_Group_translate_ranks(failed, count, inner.data(), group, outer.data()));
    check(MPI_Group_free(&group));
  }
  if (failed != MPI_GROUP_EMPTY) check(MPI_Group_free(&failed));
  return {outer.begin(), outer.end()};
}

#else

bool fault_tolerance_on() { return false; }
bool is_process_failure(int) { return false; }
std::vector<std::uint32_t> failed_ranks(MPI_Comm) { return {}; }

#endif

}  // namespace slipway::detail
