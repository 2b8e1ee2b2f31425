// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>
#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "slipway/base/seam.hpp"

// One shared segment a host: for each of its ranks a futex word to sleep on, and what its neighbours must know about it
// even when it is gone. The segment has no name in the file system once all have mapped it.
namespace slipway::detail {

enum class RankState : std::uint32_t { running = 0, dying = 1, closed = 2 };

class Doorbell {
 public:
  struct alignas(64) Cell {
    // What senders touch.
    seam::Word word;
    seam::Word sleeping;
    // The rest is rarely touched.
    alignas(64) std::atomic<std::uint32_t> state;
    std::int32_t status;
    pid_t process;
    std::uint64_t pid_namespace;
    char last_words[320];
  };

  // Collective over the host's ranks. When the memory cannot be shared, each rank has only its own cell, and no
  // neighbour can be rung: `shared()` is false on all.
  Doorbell(MPI_Comm host, seam::Time deadline);
  ~Doorbell();
  Doorbell(const Doorbell&) = delete;
  Doorbell& operator=(const Doorbell&) = delete;

  bool shared() const { return shared_; }
  std::uint32_t count() const { return count_; }  // cells, in the order of the host's communicator
  std::uint32_t own_index() const { return own_; }
  Cell& cell(std::uint32_t index) { return cells_[index]; }
  Cell& own() { return cells_[own_]; }

  // After a message for the cell's rank has left: wakes it if it sleeps.
  static void ring(Cell& cell) {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (cell.sleeping.load(std::memory_order_relaxed) != 0) [[unlikely]]
      wake(cell);
  }
  static void wake(Cell& cell);

  std::uint32_t arm();
  bool wait(std::uint32_t ticket, seam::Time deadline);
  void disarm() { own().sleeping.store(0, std::memory_order_relaxed); }
  void ring_own();

  // Async-signal-safe.
  void announce_death(int status, const char* last_words) noexcept;
  void announce_close() { own().state.store(static_cast<std::uint32_t>(RankState::closed), std::memory_order_release); }
  // Grows with every announced death on this host.
  std::uint32_t deaths() const { return *deaths_; }

 private:
  struct Segment;

  bool map(MPI_Comm host, seam::Time deadline);
  void unmap();

  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
  std::atomic<std::uint32_t>* deaths_ = nullptr;
  Cell* cells_ = nullptr;
  std::uint32_t count_ = 1;
  std::uint32_t own_ = 0;
  bool shared_ = false;
};

}  // namespace slipway::detail
