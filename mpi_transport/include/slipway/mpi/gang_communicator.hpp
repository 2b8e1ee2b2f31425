// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <any>

#include "slipway/tasks/gang.hpp"

namespace slipway {

namespace detail {

[[noreturn]] void refuse_communicator(const Gang& gang);

}  // namespace detail

// An MPI_Comm over the members of a gang, with their numbers as its ranks; freed when the gang's function returns, and
// never used by slipway itself. Its errors are fatal, as MPI has it; what a member that threw had still to send, the
// others wait for. Throws UsageError for another type than MPI_Comm, where ranks are threads of one process, and where
// MPI is not MPI_THREAD_MULTIPLE.
template <class Communicator>  // MPI_Comm; a template, so that this header needs no MPI
Communicator mpi_communicator(const Gang& gang) {
  if (const auto* const found = std::any_cast<Communicator>(&gang.communicator())) return *found;
  detail::refuse_communicator(gang);
}

}  // namespace slipway
