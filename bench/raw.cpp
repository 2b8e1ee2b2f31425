// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <mpi.h>

#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include "flags.hpp"
#include "measure.hpp"

// Plain MPI between two ranks at the thread level that slipway asks for, 64 bytes a message: a ping-pong, and the rate
// of messages where a window of them is answered by one. Flags: --effort PERCENT, --most-outstanding MESSAGES.
namespace {

constexpr int bytes = 64;

struct Pair {
  int rank = 0;
  int peer() const { return 1 - rank; }
  bool leads() const { return rank == 0; }
};

template <class Turn>
double median(Turn turn) {
  return bench::median([&] {
    MPI_Barrier(MPI_COMM_WORLD);
    return turn();
  });
}

void send(const Pair& pair, const void* from) { MPI_Send(from, bytes, MPI_BYTE, pair.peer(), 1, MPI_COMM_WORLD); }
void receive(const Pair& pair, void* into) {
  MPI_Recv(into, bytes, MPI_BYTE, pair.peer(), 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

double round_trip(const Pair& pair, int trips) {
  std::array<char, bytes> out{};
  std::array<char, bytes> in{};
  const double start = MPI_Wtime();
  for (int i = 0; i < trips; ++i) {
    if (pair.leads()) send(pair, out.data());
    receive(pair, in.data());
    if (!pair.leads()) send(pair, out.data());
  }
  return (MPI_Wtime() - start) / trips;
}

double messages_per_second(const Pair& pair, int window, int rounds) {
  std::vector<char> memory(static_cast<std::size_t>(window) * bytes);
  std::vector<MPI_Request> requests(static_cast<std::size_t>(window));
  const double start = MPI_Wtime();
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < requests.size(); ++i) {
      char* const at = memory.data() + i * bytes;
      if (pair.leads()) {
        MPI_Isend(at, bytes, MPI_BYTE, pair.peer(), 1, MPI_COMM_WORLD, &requests[i]);
      } else {
        MPI_Irecv(at, bytes, MPI_BYTE, pair.peer(), 1, MPI_COMM_WORLD, &requests[i]);
      }
    }
    MPI_Waitall(window, requests.data(), MPI_STATUSES_IGNORE);
    if (pair.leads()) {
      receive(pair, memory.data());
    } else {
      send(pair, memory.data());
    }
  }
  return window * rounds / (MPI_Wtime() - start);
}

}  // namespace

int main(int argc, char** argv) {
  examples::Flags flags(argc, argv);
  const bench::Effort effort{flags.get("--effort", 100)};
  const int most_outstanding = flags.get("--most-outstanding", 1024);
  flags.check();
  int level = 0;
  int ranks = 0;
  Pair pair;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &pair.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks != 2) {
    std::fprintf(stderr, "bench_raw needs 2 ranks, not %d\n", ranks);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const double trip = median([&] { return round_trip(pair, effort.of(3000)); });
  if (pair.leads()) bench::print_figure("round_trip_us", trip * 1e6);
  for (const int window : {64, 1024}) {
    if (window > most_outstanding) break;
    const int rounds = effort.of(128 * 1024 / window);
    const double rate = median([&] { return messages_per_second(pair, window, rounds); });
    if (pair.leads()) bench::print_figure(("messages_" + std::to_string(window) + "_per_s").c_str(), rate);
  }
  MPI_Finalize();
}
