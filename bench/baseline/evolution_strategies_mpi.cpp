// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
//
// examples/evolution_strategies written by hand in plain MPI: what slipway's version is measured against.
// Rank 0 searches, the others evaluate; rewards that come after the deadline of their generation are dropped:
//   mpirun -n 4 evolution_strategies_mpi [--pairs 32] [--generations 300] [--deadline-ms 2000]
#include <mpi.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <thread>
#include <vector>

#include "evolution.hpp"
#include "flags.hpp"

namespace {

using evolution::PairReward;

enum Tag { policy_tag, reward_tag };

struct Options {
  int pairs = 32;
  int generations = 300;
  int deadline_ms = 2000;
  bool stop_when_solved = true;
};

Options parse(int argc, char** argv) {
  examples::Flags flags(argc, argv);
  Options options;
  options.pairs = flags.get("--pairs", options.pairs);
  options.generations = flags.get("--generations", options.generations);
  options.deadline_ms = flags.get("--deadline-ms", options.deadline_ms);
  options.stop_when_solved = flags.get("--stop-when-solved", 1) != 0;
  flags.check();
  return options;
}

// What goes out to one evaluator; a negative generation ends it.
struct Work {
  std::int64_t generation = -1;
  std::array<float, evolution::policy_size> policy{};
};

// What comes back: the generation, then its rewards. Sent as bytes, all ranks run the same binary.
struct Answer {
  std::int64_t generation = -1;
  std::vector<PairReward> rewards;
};

int first_pair(const Options& options, int evaluators, int evaluator) { return options.pairs * evaluator / evaluators; }

// Rank 0's end of one evaluator: the work on its way to it and the answer on its way back.
class Evaluator {
 public:
  Evaluator(int rank, std::size_t pairs) : rank_(rank), bytes_(sizeof(std::int64_t) + pairs * sizeof(PairReward)) {}

  bool idle() const { return send_ == MPI_REQUEST_NULL && receive_ == MPI_REQUEST_NULL; }

  void start(std::int64_t generation, const std::vector<float>& policy) {
    work_.generation = generation;
    std::ranges::copy(policy, work_.policy.begin());
    MPI_Irecv(bytes_.data(), static_cast<int>(bytes_.size()), MPI_BYTE, rank_, reward_tag, MPI_COMM_WORLD, &receive_);
    MPI_Isend(&work_, sizeof(work_), MPI_BYTE, rank_, policy_tag, MPI_COMM_WORLD, &send_);
  }

  // True when an answer has come; it stays in answer() until the next start.
  bool poll() {
    if (receive_ == MPI_REQUEST_NULL) return false;
    int done = 0;
    MPI_Test(&receive_, &done, MPI_STATUS_IGNORE);
    if (done == 0) return false;
    MPI_Wait(&send_, MPI_STATUS_IGNORE);  // long done: it has been answered
    return true;
  }

  Answer answer() const {
    Answer answer;
    std::memcpy(&answer.generation, bytes_.data(), sizeof(answer.generation));
    answer.rewards.resize((bytes_.size() - sizeof(answer.generation)) / sizeof(PairReward));
    std::memcpy(answer.rewards.data(), bytes_.data() + sizeof(answer.generation),
                bytes_.size() - sizeof(answer.generation));
    return answer;
  }

  void end() {
    MPI_Wait(&receive_, MPI_STATUS_IGNORE);
    MPI_Wait(&send_, MPI_STATUS_IGNORE);
    const Work last;
    MPI_Send(&last, sizeof(last), MPI_BYTE, rank_, policy_tag, MPI_COMM_WORLD);
  }

 private:
  int rank_;
  Work work_;
  std::vector<std::byte> bytes_;
  MPI_Request send_ = MPI_REQUEST_NULL;
  MPI_Request receive_ = MPI_REQUEST_NULL;
};

// One generation: gives work to every idle evaluator, takes what comes until the deadline. Late answers to earlier
// generations are thrown away; an evaluator that still works on one sits this generation out.
std::vector<PairReward> run_generation(const Options& options, std::vector<Evaluator>& evaluators,
                                       const evolution::Search& search) {
  const auto generation = static_cast<std::int64_t>(search.generation());
  const double deadline = MPI_Wtime() + options.deadline_ms / 1e3;
  std::size_t expected = 0;
  for (Evaluator& evaluator : evaluators) {
    evaluator.poll();
    if (!evaluator.idle()) continue;
    evaluator.start(generation, search.policy());
    ++expected;
  }
  std::vector<PairReward> rewards;
  std::size_t answered = 0;
  while (MPI_Wtime() < deadline && (answered < expected || expected == 0)) {
    bool progress = false;
    for (Evaluator& evaluator : evaluators) {
      if (!evaluator.poll()) continue;
      progress = true;
      const Answer answer = evaluator.answer();
      if (answer.generation != generation) continue;
      rewards.insert(rewards.end(), answer.rewards.begin(), answer.rewards.end());
      ++answered;
    }
    // Evaluations take milliseconds: a short sleep leaves the core to the evaluators.
    if (!progress) std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  return rewards;
}

void search(const Options& options, int ranks) {
  std::vector<Evaluator> evaluators;
  for (int i = 0; i < ranks - 1; ++i) {
    const int pairs = first_pair(options, ranks - 1, i + 1) - first_pair(options, ranks - 1, i);
    evaluators.emplace_back(i + 1, static_cast<std::size_t>(pairs));
  }
  evolution::Search search;
  const double start = MPI_Wtime();
  std::int64_t evaluations = 0;
  std::int64_t dropped = 0;
  double solved = 0;
  while (static_cast<int>(search.generation()) < options.generations) {
    const auto rewards = run_generation(options, evaluators, search);
    evaluations += 2 * static_cast<std::int64_t>(rewards.size());
    dropped += options.pairs - static_cast<std::int64_t>(rewards.size());
    search.update(rewards);
    if (search.generation() % 10 != 0) continue;
    solved = search.solved_share(100);
    std::printf("generation %4d  solved %.2f  dropped pairs %lld\n", static_cast<int>(search.generation()), solved,
                static_cast<long long>(dropped));
    if (options.stop_when_solved && solved == 1) break;
  }
  const double seconds = MPI_Wtime() - start;
  for (Evaluator& evaluator : evaluators) evaluator.end();
  std::printf("%d evaluators, %d pairs, solved %.2f: %.1f generations/s, %.0f evaluations/s\n", ranks - 1,
              options.pairs, solved, static_cast<double>(search.generation()) / seconds,
              static_cast<double>(evaluations) / seconds);
}

void evaluate(const Options& options, int ranks, int rank) {
  const int first = first_pair(options, ranks - 1, rank - 1);
  const int last = first_pair(options, ranks - 1, rank);
  std::vector<std::byte> bytes(sizeof(std::int64_t) + static_cast<std::size_t>(last - first) * sizeof(PairReward));
  for (;;) {
    Work work;
    MPI_Recv(&work, sizeof(work), MPI_BYTE, 0, policy_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (work.generation < 0) return;
    std::memcpy(bytes.data(), &work.generation, sizeof(work.generation));
    std::byte* place = bytes.data() + sizeof(work.generation);
    for (int pair = first; pair < last; ++pair, place += sizeof(PairReward)) {
      const PairReward reward =
          evolution::evaluate_pair(work.policy, static_cast<std::uint64_t>(work.generation), pair);
      std::memcpy(place, &reward, sizeof(reward));
    }
    MPI_Send(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, 0, reward_tag, MPI_COMM_WORLD);
  }
}

void run(int argc, char** argv) {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks < 2) throw std::runtime_error("too few ranks: one searches, at least one evaluates");
  const Options options = parse(argc, argv);
  if (rank == 0) {
    search(options, ranks);
  } else {
    evaluate(options, ranks, rank);
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  try {
    run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "evolution_strategies_mpi: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  MPI_Finalize();
  return 0;
}
