// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "doorbell.hpp"
#include "hosts.hpp"
#include "outbox.hpp"

// Finds out which ranks are gone; MPI itself seldom tells. With the turn only.
//
// On one host: each rank watches the processes of its neighbours (pidfd) and their announced deaths, and the lowest
// rank left tells the other hosts. Across hosts: the lowest rank of each host sends heartbeats to that of the next host
// in a ring; a host that is silent for too long is lost with all its ranks, and its watcher tells everyone.
namespace slipway::detail {

class Liveness {
 public:
  struct Loss {
    std::uint32_t rank = 0;
    std::string reason;
  };

  Liveness(std::uint32_t rank, const HostMap& hosts, Doorbell& doorbell, Outbox& outbox, MPI_Comm communicator,
           seam::Time detection_limit);
  ~Liveness();
  Liveness(const Liveness&) = delete;
  Liveness& operator=(const Liveness&) = delete;

  // The ranks lost since the last call, each once. Cheap when called often: it looks at the clock itself.
  std::vector<Loss> check(seam::Time now);

  [[nodiscard]] bool on_heartbeat(std::uint32_t from, std::span<const std::byte> payload);
  [[nodiscard]] bool on_loss(std::span<const std::byte> payload);
  // For losses that others find: `check` returns it next.
  void suspect(std::uint32_t rank, const std::string& reason);

 private:
  void watch_neighbours();
  void read_announced_deaths();
  void read_ended_processes();
  void ask_mpi();
  void beat(seam::Time now);
  void watch_host(HostId watched, seam::Time now);
  void lose(std::uint32_t rank, const std::string& reason, bool tell_all);
  void tell(std::uint32_t to, const Loss& loss);
  std::string name_of(std::uint32_t rank) const;
  std::string last_words(std::uint32_t neighbour_index);
  std::uint32_t leader_of(HostId host) const;  // none: no rank of it is left
  HostId next_host(int direction) const;
  HostId own_host() const { return hosts_.host_of_rank[rank_]; }

  std::uint32_t rank_;
  const HostMap& hosts_;
  Doorbell& doorbell_;
  Outbox& outbox_;
  MPI_Comm communicator_;
  bool fault_tolerance_;
  seam::Time detection_limit_;
  seam::Time beat_every_;

  std::vector<bool> dead_;
  std::vector<Loss> losses_;
  int watcher_ = -1;  // epoll over the neighbours' pidfds
  std::vector<int> process_files_;
  std::uint32_t deaths_seen_ = 0;
  std::size_t failures_seen_ = 0;
  seam::Time next_look_ = 0;
  seam::Time next_beat_ = 0;
  seam::Time last_beat_ = 0;
  HostId watched_;
  bool watched_traced_ = false;
  bool heard_ = false;
  seam::Time last_heard_ = 0;
};

}  // namespace slipway::detail
