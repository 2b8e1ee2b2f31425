// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "task_history/history.hpp"

namespace slipway::task_history {

// Sums over tasks, each counted as often as it stands for. Times in nanoseconds.
struct Sums {
  std::uint64_t tasks = 0;
  std::uint64_t over = 0;
  std::uint64_t failed = 0;     // itself, or a value that it needs
  std::uint64_t cancelled = 0;  // or stopped
  std::uint64_t retries = 0;    // times that one ran again after it had thrown
  std::uint64_t elsewhere = 0;  // run on another rank than the one that submitted it
  std::uint64_t bytes_there = 0;
  std::uint64_t bytes_back = 0;
  // Where the time between submission and outcome went, of those that are over and have run.
  std::uint64_t ran = 0;
  double for_values = 0;
  double in_queue = 0;  // with all values, until it began or left
  double on_the_way = 0;
  double running = 0;  // what it waits for inside included
  double coming_back = 0;
  double processor_time = 0;  // tasks that ran inside others count twice
  double longest = 0;
};

struct OfFunction {
  std::string name;
  Sums sums;
};

// How much of a rank's cores its tasks took.
struct OfRank {
  std::uint32_t rank = 0;
  std::uint32_t cores = 1;
  std::uint64_t ran = 0;
  double busy = 0;  // nanoseconds of processor time of its tasks; of those that run, all since they began
};

struct Summary {
  double span = 0;          // nanoseconds from the first event to the last
  bool is_sampled = false;  // some tasks stand for several
  std::uint64_t lost = 0;
  Sums all;
  std::vector<OfFunction> functions;  // the longest running time first
  std::vector<OfRank> ranks;
  std::vector<const Task*> pending;  // not over; the oldest first
};

// Refers to the history.
Summary summarize(const History& history);

// For people: functions, ranks, where the time went, and the `most` oldest of the pending tasks.
std::string to_text(const History& history, const Summary& summary, std::size_t most);
std::string to_json(const History& history, const Summary& summary);
// The part of the text on functions.
std::string functions_text(const Summary& summary);
// One line a task.
std::string list_text(const History& history);

}  // namespace slipway::task_history
