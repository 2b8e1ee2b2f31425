// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
//
// examples/parameter_server written by hand in plain MPI: what slipway's version is measured against.
// Ranks 0 to S-1 keep the shards, the last one evaluates, the others train:
//   mpirun -n 4 parameter_server_mpi [--shards 1] [--mode async|sync] [--updates 8000] [--batch 32] [--data FILE]
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <span>
#include <stdexcept>
#include <thread>
#include <vector>

#include "training.hpp"

namespace {

enum Tag { gradient_tag, parameters_tag, request_tag, snapshot_tag };

// The ranks of the program and what each does.
struct Options : digits::Training {
  int evaluator() const { return shards + trainers; }
  int trainer(int index) const { return shards + index; }
};

Options parse(int argc, char** argv, int ranks) {
  examples::Flags flags(argc, argv);
  Options options{digits::Training::from_flags(flags)};
  options.trainers = ranks - options.shards - 1;
  if (options.trainers < 1) {
    throw std::runtime_error("too few ranks: one for each shard, one for the evaluator, at least one to train");
  }
  return options;
}

int size_of(std::span<const float> values) { return static_cast<int>(values.size()); }

// One shard of the parameters: a persistent receive for each trainer and one for the evaluator, taken as they come.
class Server {
 public:
  Server(const Options& options, int shard)
      : options_(options), optimizer_(options.optimizer(static_cast<std::size_t>(shard))) {
    const std::size_t size = optimizer_.parameters().size();
    const auto trainers = static_cast<std::size_t>(options.trainers);
    gradients_.assign(trainers, std::vector<float>(size));
    replies_.assign(trainers, std::vector<float>(size));
    sends_.assign(trainers, MPI_REQUEST_NULL);
    receives_.assign(trainers + 1, MPI_REQUEST_NULL);
    sum_.assign(size, 0.0F);
    for (std::size_t i = 0; i < trainers; ++i) {
      MPI_Recv_init(gradients_[i].data(), size_of(gradients_[i]), MPI_FLOAT, options.trainer(static_cast<int>(i)),
                    gradient_tag, MPI_COMM_WORLD, &receives_[i]);
    }
    MPI_Recv_init(&wanted_, 1, MPI_INT, options.evaluator(), request_tag, MPI_COMM_WORLD, &receives_[trainers]);
  }

  ~Server() {
    for (MPI_Request& request : receives_) MPI_Request_free(&request);
  }

  void run() {
    for (int i = 0; i < options_.trainers; ++i) {
      left_.push_back(options_.gradients(i));
      if (left_.back() > 0) MPI_Start(&receives_[static_cast<std::size_t>(i)]);
    }
    MPI_Start(&receives_.back());
    while (optimizer_.version() < options_.updates || !last_snapshot_sent_) {
      int index = 0;
      MPI_Waitany(static_cast<int>(receives_.size()), receives_.data(), &index, MPI_STATUS_IGNORE);
      if (index == options_.trainers) {
        snapshot_wanted_ = true;
      } else if (options_.synchronous) {
        add_to_sum(static_cast<std::size_t>(index));
      } else {
        update(static_cast<std::size_t>(index));
      }
      if (snapshot_wanted_ && optimizer_.version() >= wanted_) send_snapshot();
    }
    MPI_Waitall(options_.trainers, sends_.data(), MPI_STATUSES_IGNORE);
  }

 private:
  void receive_next(std::size_t trainer) {
    if (--left_[trainer] > 0) MPI_Start(&receives_[trainer]);
  }

  void send(std::size_t trainer, const std::vector<float>& values) {
    MPI_Isend(values.data(), size_of(values), MPI_FLOAT, options_.trainer(static_cast<int>(trainer)), parameters_tag,
              MPI_COMM_WORLD, &sends_[trainer]);
  }

  void update(std::size_t trainer) {
    optimizer_.apply(gradients_[trainer]);
    receive_next(trainer);
    MPI_Wait(&sends_[trainer], MPI_STATUS_IGNORE);  // long done: the trainer has answered it
    std::ranges::copy(optimizer_.parameters(), replies_[trainer].begin());
    send(trainer, replies_[trainer]);
  }

  void add_to_sum(std::size_t trainer) {
    for (std::size_t i = 0; i < sum_.size(); ++i) sum_[i] += gradients_[trainer][i];
    receive_next(trainer);
    if (++arrived_ < options_.trainers) return;
    MPI_Waitall(options_.trainers, sends_.data(), MPI_STATUSES_IGNORE);  // long done: all trainers have answered them
    for (float& value : sum_) value /= static_cast<float>(options_.trainers);
    optimizer_.apply(sum_);
    std::ranges::fill(sum_, 0.0F);
    arrived_ = 0;
    for (std::size_t i = 0; i < sends_.size(); ++i) send(i, optimizer_.parameters());
  }

  void send_snapshot() {
    last_snapshot_sent_ = wanted_ >= options_.updates;
    snapshot_wanted_ = false;
    const std::vector<float>& values = optimizer_.parameters();
    MPI_Send(values.data(), size_of(values), MPI_FLOAT, options_.evaluator(), snapshot_tag, MPI_COMM_WORLD);
    if (!last_snapshot_sent_) MPI_Start(&receives_.back());
  }

  const Options& options_;
  digits::Optimizer optimizer_;
  std::vector<std::vector<float>> gradients_, replies_;  // one a trainer
  std::vector<MPI_Request> receives_, sends_;            // receives_: one a trainer, then the evaluator's
  std::vector<int> left_;                                // gradients still to come, one a trainer
  std::vector<float> sum_;
  int arrived_ = 0;
  int wanted_ = 0;
  bool snapshot_wanted_ = false;
  bool last_snapshot_sent_ = false;
};

// Computes gradients; one persistent send and receive a shard, straight out of and into the flat vectors.
void train(const Options& options, int index) {
  const digits::Images images = digits::load(options.data).training;
  digits::Classifier classifier(options.hidden);
  std::vector<float> parameters = options.initial_parameters();
  std::vector<float> gradient(parameters.size());
  std::mt19937_64 random(1000 + static_cast<std::uint64_t>(index));
  std::vector<MPI_Request> requests(2 * static_cast<std::size_t>(options.shards));
  for (int shard = 0; shard < options.shards; ++shard) {
    const auto in = options.part(parameters, static_cast<std::size_t>(shard));
    const auto out = options.part(gradient, static_cast<std::size_t>(shard));
    const auto pair = 2 * static_cast<std::size_t>(shard);
    MPI_Recv_init(in.data(), size_of(in), MPI_FLOAT, shard, parameters_tag, MPI_COMM_WORLD, &requests[pair]);
    MPI_Send_init(out.data(), size_of(out), MPI_FLOAT, shard, gradient_tag, MPI_COMM_WORLD, &requests[pair + 1]);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  for (int step = 0; step < options.gradients(index); ++step) {
    classifier.gradient(parameters, images, options.batch, random, gradient);
    MPI_Startall(static_cast<int>(requests.size()), requests.data());
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  }
  for (MPI_Request& request : requests) MPI_Request_free(&request);
}

// Waits without spinning: the evaluator has no core of its own, and a millisecond is nothing to it.
void wait_asleep(std::vector<MPI_Request>& requests) {
  int done = 0;
  for (;;) {
    MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE);
    if (done != 0) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

void evaluate(const Options& options) {
  const digits::Images images = digits::load(options.data).held_out;
  digits::Classifier classifier(options.hidden);
  std::vector<float> parameters(classifier.parameter_count());
  std::vector<MPI_Request> requests(static_cast<std::size_t>(options.shards));
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  digits::Result result;
  for (int evaluation = 0; evaluation <= options.evaluations; ++evaluation) {
    const int wanted = options.evaluated_version(evaluation);
    for (int shard = 0; shard < options.shards; ++shard) {
      const auto in = options.part(parameters, static_cast<std::size_t>(shard));
      MPI_Irecv(in.data(), size_of(in), MPI_FLOAT, shard, snapshot_tag, MPI_COMM_WORLD,
                &requests[static_cast<std::size_t>(shard)]);
      MPI_Send(&wanted, 1, MPI_INT, shard, request_tag, MPI_COMM_WORLD);
    }
    wait_asleep(requests);
    const double seconds = MPI_Wtime() - start;
    std::printf("%s\n", result.add(wanted, seconds, classifier.score(parameters, images)).c_str());
  }
  std::printf("%s\n", result.summary(options).c_str());
}

void run(int argc, char** argv) {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const Options options = parse(argc, argv, ranks);
  if (rank < options.shards) {
    Server server(options, rank);
    MPI_Barrier(MPI_COMM_WORLD);
    server.run();
  } else if (rank == options.evaluator()) {
    evaluate(options);
  } else {
    train(options, rank - options.shards);
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  try {
    run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "parameter_server_mpi: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  MPI_Finalize();
  return 0;
}
