// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "hosts.hpp"

#include <algorithm>
#include <map>

#include "agreement.hpp"
#include "checked_mpi.hpp"

namespace slipway::detail {

namespace {

std::uint32_t block_of(std::uint32_t rank, std::uint32_t size, std::uint32_t blocks) {
  return static_cast<std::uint32_t>(std::uint64_t{rank} * blocks / size);
}

std::string processor_name() {
  char name[MPI_MAX_PROCESSOR_NAME] = {};
  int length = 0;
  check(MPI_Get_processor_name(name, &length));
  return std::string(name, static_cast<std::size_t>(length));
}

// The ranks that share memory with this one, and its fake block if there are such.
MPI_Comm split_by_host(MPI_Comm communicator, std::uint32_t rank, std::uint32_t size, std::uint32_t blocks) {
  MPI_Comm shared = MPI_COMM_NULL;
  check(MPI_Comm_split_type(communicator, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &shared));
  if (blocks == 0) return shared;
  MPI_Comm block = MPI_COMM_NULL;
  check(MPI_Comm_split(shared, static_cast<int>(block_of(rank, size, blocks)), 0, &block));
  check(MPI_Comm_free(&shared));
  return block;
}

// The rank in `communicator` of each rank of `part`.
std::vector<std::uint32_t> ranks_of(MPI_Comm part, MPI_Comm communicator) {
  int count = 0;
  check(MPI_Comm_size(part, &count));
  std::vector<int> inner(static_cast<std::size_t>(count));
  std::vector<int> outer(inner.size());
  for (int i = 0; i < count; ++i) inner[static_cast<std::size_t>(i)] = i;
  MPI_Group part_group = MPI_GROUP_NULL;
  MPI_Group group = MPI_GROUP_NULL;
  check(MPI_Comm_group(part, &part_group));
  check(MPI_Comm_group(communicator, &group));
  check(MPI_Group_translate_ranks(part_group, count, inner.data(), group, outer.data()));
  check(MPI_Group_free(&part_group));
  check(MPI_Group_free(&group));
  return {outer.begin(), outer.end()};
}

}  // namespace

HostMap find_hosts(MPI_Comm communicator, std::uint32_t fake_hosts, seam::Time deadline) {
  int rank_number = 0;
  int size_number = 0;
  check(MPI_Comm_rank(communicator, &rank_number));
  check(MPI_Comm_size(communicator, &size_number));
  const auto rank = static_cast<std::uint32_t>(rank_number);
  const auto size = static_cast<std::uint32_t>(size_number);
  const std::uint32_t blocks = std::min(fake_hosts, size);

  HostMap map;
  map.communicator = split_by_host(communicator, rank, size, blocks);
  check(MPI_Comm_set_errhandler(map.communicator, MPI_ERRORS_RETURN));
  check(MPI_Comm_set_name(map.communicator, "slipway host"));
  map.neighbours = ranks_of(map.communicator, communicator);

  // Each rank tells its host's lowest rank, which stands for the host, and the name it knows.
  std::string name = processor_name();
  if (blocks > 0) name += "#" + std::to_string(block_of(rank, size, blocks));
  const auto texts = gather_texts(communicator, std::to_string(map.neighbours.front()) + " " + name, deadline);
  std::map<std::uint32_t, HostId> host_of_leader;
  for (const auto& text : texts) {
    const auto space = text.find(' ');
    const auto leader = static_cast<std::uint32_t>(std::stoul(text.substr(0, space)));
    const auto [place, is_new] =
        host_of_leader.try_emplace(leader, HostId(static_cast<std::uint32_t>(host_of_leader.size())));
    if (is_new) map.names.push_back(text.substr(space + 1));
    map.host_of_rank.push_back(place->second);
  }
  return map;
}

}  // namespace slipway::detail
