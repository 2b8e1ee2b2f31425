// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "task_history/summary.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace slipway::task_history {

namespace {

double between(Moment from, Moment to) { return static_cast<double>(std::max<Moment>(to - from, 0)); }

void add_times(Sums& sums, const Task& task) {
  const auto times = static_cast<double>(task.stands_for);
  const Moment ready = task.ready.value_or(task.submitted);
  const Moment left_queue = task.sent.value_or(*task.started);
  sums.ran += task.stands_for;
  sums.for_values += times * between(task.submitted, ready);
  sums.in_queue += times * between(ready, left_queue);
  if (task.sent) sums.on_the_way += times * between(*task.sent, *task.started);
  sums.processor_time += times * static_cast<double>(task.processor_time);
  sums.running += times * between(*task.started, *task.ended);
  if (task.returned) sums.coming_back += times * between(*task.ended, *task.returned);
  sums.longest = std::max(sums.longest, between(*task.started, *task.ended));
}

void add(Sums& sums, const Task& task) {
  sums.tasks += task.stands_for;
  if (task.attempts > 1) sums.retries += task.stands_for * (task.attempts - 1);
  if (task.started && task.runner.rank != task.submitter.rank) sums.elsewhere += task.stands_for;
  sums.bytes_there += task.stands_for * task.bytes_there;
  sums.bytes_back += task.stands_for * task.bytes_back;
  if (task.state() != State::over) return;
  sums.over += task.stands_for;
  if (task.end == TaskEnd::failed || task.end == TaskEnd::input_failed) sums.failed += task.stands_for;
  if (task.end == TaskEnd::cancelled || task.end == TaskEnd::stopped) sums.cancelled += task.stands_for;
  if (task.started && task.ended) add_times(sums, task);
}

// Of a thread that ran tasks, some inside others. A task that stands for several took as long for each.
class BusyTime {
 public:
  explicit BusyTime(const History& history) {
    for (const Task& task : history.tasks) {
      if (task.started) {
        const double used = task.ended ? static_cast<double>(task.processor_time) : between(*task.started, history.end);
        of_thread_[{task.runner.rank, task.runner.thread}].push_back({*task.started, task.ended.value_or(history.end),
                                                                      static_cast<double>(task.stands_for) * used,
                                                                      task.ended.has_value()});
      }
    }
  }
  double of(std::uint32_t rank) {
    double busy = 0;
    for (auto& [place, tasks] : of_thread_) {
      if (place.first == rank) busy += outermost(tasks);
    }
    return busy;
  }

 private:
  struct Span {
    Moment from;
    Moment to;
    double used;
    bool is_over;
  };
  static double outermost(std::vector<Span>& spans) {
    std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) { return a.from < b.from; });
    double busy = 0;
    Moment until = 0;
    for (const Span& span : spans) {
      if (span.from < until) continue;  // inside another one
      // It waits while others run, or nobody has seen its end.
      if (!span.is_over && &span != &spans.back()) continue;
      busy += span.used;
      until = span.to;
    }
    return busy;
  }

  std::map<std::pair<std::uint32_t, std::uint16_t>, std::vector<Span>> of_thread_;
};

}  // namespace

Summary summarize(const History& history) {
  Summary summary;
  summary.span = between(history.begin, history.end);
  std::vector<Sums> functions(history.names.size());
  std::map<std::uint32_t, OfRank> ranks;
  BusyTime busy(history);
  for (const auto& [number, rank] : history.ranks) {
    ranks[number] = {.rank = number, .cores = rank.cores, .busy = busy.of(number)};
    summary.lost += rank.lost;
  }
  for (const Task& task : history.tasks) {
    add(summary.all, task);
    add(functions[task.name], task);
    summary.is_sampled = summary.is_sampled || task.stands_for > 1;
    if (task.started) ranks[task.runner.rank].ran += task.stands_for;
    if (task.state() != State::over) summary.pending.push_back(&task);
  }
  for (std::size_t i = 0; i < functions.size(); ++i) summary.functions.push_back({history.names[i], functions[i]});
  std::stable_sort(summary.functions.begin(), summary.functions.end(),
                   [](const OfFunction& a, const OfFunction& b) { return a.sums.running > b.sums.running; });
  for (auto& [number, rank] : ranks) summary.ranks.push_back(rank);
  return summary;
}

}  // namespace slipway::task_history
