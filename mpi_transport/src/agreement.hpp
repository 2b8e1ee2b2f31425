// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <functional>
#include <string>
#include <vector>

#include "slipway/base/seam.hpp"

// Collective steps of start and end. None blocks inside MPI: with more ranks than cores a blocking call would burn the
// core that its peers need.
namespace slipway::detail {

// Waits for the request with naps. Throws Error at the deadline, naming `what`. `meanwhile` runs between two tests.
void await(MPI_Request& request, seam::Time deadline, const std::string& what,
           const std::function<void()>& meanwhile = {});

// Every rank's text, by rank.
std::vector<std::string> gather_texts(MPI_Comm communicator, const std::string& mine, seam::Time deadline,
                                      const std::function<void()>& meanwhile = {});

// A named copy that returns error codes.
MPI_Comm duplicate(MPI_Comm communicator, const char* name, seam::Time deadline);

}  // namespace slipway::detail
