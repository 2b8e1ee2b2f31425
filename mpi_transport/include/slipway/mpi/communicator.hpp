// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <memory>

#include "slipway/mpi/mpi_transport.hpp"

namespace slipway {

// A transport over the ranks of a communicator that the program owns. It is duplicated; the program may free or use its
// own at will. Inter-communicators are refused.
inline std::unique_ptr<Transport> make_mpi_transport(MPI_Comm communicator, MpiOptions options = {}) {
  options.communicator = &communicator;
  return make_mpi_transport(static_cast<const MpiOptions&>(options));
}

}  // namespace slipway
