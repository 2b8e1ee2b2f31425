// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <type_traits>

#include "slipway/mpi/mpi_transport.hpp"

namespace slipway {

// A transport over the ranks of a communicator that the program owns. It is duplicated; the program may free or use its
// own at will. Inter-communicators are refused.
template <class Communicator>  // MPI_Comm; a template, so that this header needs no MPI
requires(!std::is_same_v<Communicator, MpiOptions>) std::unique_ptr<Transport> make_mpi_transport(
    Communicator communicator, MpiOptions options = {}) {
  options.communicator = &communicator;
  return make_mpi_transport(static_cast<const MpiOptions&>(options));
}

}  // namespace slipway
