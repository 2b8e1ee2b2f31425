// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <mpi.h>

#include <array>
#include <cstdio>
#include <memory>
#include <vector>

#include "effort.hpp"

// Plain MPI between two ranks: 64 MiB from rank 0 to rank 1 with a short answer, and from rank 1 to rank 0 on a short
// request; received into new memory, or into the same memory each time. Flag: --effort PERCENT.
namespace {

constexpr std::size_t bytes = std::size_t{64} << 20U;

enum class Way { argument, result };
enum class Memory { fresh, recycled };

class Transfers {
 public:
  explicit Transfers(int rank) : rank_(rank), out_(bytes, 'x'), in_(bytes, 'x') {}

  double gigabytes_per_second(Way way, Memory memory, int transfers) {
    const bool sends = (rank_ == 0) == (way == Way::argument);
    MPI_Barrier(MPI_COMM_WORLD);
    const auto start = bench::Clock::now();
    for (int i = 0; i < transfers; ++i) {
      if (way == Way::result) exchange_short(0);
      if (sends) {
        MPI_Send(out_.data(), bytes, MPI_BYTE, peer(), 1, MPI_COMM_WORLD);
      } else {
        receive(memory);
      }
      if (way == Way::argument) exchange_short(1);
    }
    return static_cast<double>(bytes) * transfers / bench::seconds_since(start) / 1e9;
  }

 private:
  int peer() const { return 1 - rank_; }

  void receive(Memory memory) {
    std::unique_ptr<char[]> fresh;
    if (memory == Memory::fresh) fresh = std::make_unique_for_overwrite<char[]>(bytes);
    MPI_Recv(fresh ? fresh.get() : in_.data(), bytes, MPI_BYTE, peer(), 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }

  void exchange_short(int from) {
    std::array<char, 64> message{};
    if (rank_ == from) {
      MPI_Send(message.data(), message.size(), MPI_BYTE, peer(), 2, MPI_COMM_WORLD);
    } else {
      MPI_Recv(message.data(), message.size(), MPI_BYTE, peer(), 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }

  int rank_;
  std::vector<char> out_;
  std::vector<char> in_;
};

}  // namespace

int main(int argc, char** argv) {
  const bench::Effort effort = bench::effort_from(argc, argv);
  int level = 0;
  int ranks = 0;
  int rank = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks != 2) {
    std::fprintf(stderr, "bench_raw_arrays needs 2 ranks, not %d\n", ranks);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  Transfers transfers(rank);
  const auto print = [&](const char* name, Way way, Memory memory) {
    const double rate = bench::median([&] { return transfers.gigabytes_per_second(way, memory, effort.of(8)); });
    if (rank == 0) bench::print_figure(name, rate);
  };
  print("argument_fresh_gb_per_s", Way::argument, Memory::fresh);
  print("result_fresh_gb_per_s", Way::result, Memory::fresh);
  print("argument_recycled_gb_per_s", Way::argument, Memory::recycled);
  print("result_recycled_gb_per_s", Way::result, Memory::recycled);
  MPI_Finalize();
}
