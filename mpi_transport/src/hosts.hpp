// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <vector>

#include "slipway/base/ids.hpp"
#include "slipway/base/seam.hpp"

namespace slipway::detail {

// Who shares memory with whom. Hosts are numbered by their lowest rank.
struct HostMap {
  std::vector<HostId> host_of_rank;
  std::vector<std::string> names;
  std::vector<std::uint32_t> neighbours;  // the ranks of this rank's host, itself among them, ascending
  MPI_Comm communicator = MPI_COMM_NULL;  // of `neighbours`, in this order; the caller frees it

  bool several_hosts() const { return names.size() > 1; }
};

// Collective. `fake_hosts` > 0 cuts the ranks into that many blocks besides.
HostMap find_hosts(MPI_Comm communicator, std::uint32_t fake_hosts, seam::Time deadline);

}  // namespace slipway::detail
