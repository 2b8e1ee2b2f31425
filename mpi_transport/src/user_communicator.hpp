// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <any>
#include <cstdint>
#include <memory>
#include <vector>

#include "slipway/base/ids.hpp"

namespace slipway::detail {

// A communicator over some ranks of `parent`, for user code. Collective over these ranks only, by messages in `parent`
// with one tag, not below `first_tag`: two at a time differ in `name`. Holds an MPI_Comm, which is freed with it as
// long as MPI is healthy.
std::shared_ptr<const std::any> make_user_communicator(MPI_Comm parent, int first_tag, const std::vector<RankId>& ranks,
                                                       std::uint64_t name);

}  // namespace slipway::detail
