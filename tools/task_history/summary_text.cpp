// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "slipway/observe/report.hpp"
#include "task_history/summary.hpp"

namespace slipway::task_history {

namespace {

constexpr double second = 1e9;

std::string time_text(double nanoseconds) { return short_time(static_cast<std::int64_t>(nanoseconds)); }

double mean(double sum, std::uint64_t count) { return count == 0 ? 0 : sum / static_cast<double>(count); }

double turnaround(const Sums& sums) {
  return sums.for_values + sums.in_queue + sums.on_the_way + sums.running + sums.coming_back;
}

void print_ranks(std::string& out, const History& history, const Summary& summary) {
  out += "\n";
  for (const OfRank& rank : summary.ranks) {
    const double used = summary.span > 0 ? rank.busy / summary.span : 0;
    fmt::format_to(std::back_inserter(out), "rank {} on {}: {} tasks kept {:.2f} of {} cores busy\n", rank.rank,
                   history.ranks.at(rank.rank).host, rank.ran, used, rank.cores);
  }
}

void print_way(std::string& out, const Sums& sums) {
  const double all = turnaround(sums);
  if (all <= 0) return;
  const std::array parts{std::pair{"waiting for values", sums.for_values}, std::pair{"in the queue", sums.in_queue},
                         std::pair{"on the way to another rank", sums.on_the_way}, std::pair{"running", sums.running},
                         std::pair{"on the way back", sums.coming_back}};
  fmt::format_to(std::back_inserter(out), "\nfrom submission to outcome a task took {} on average:\n",
                 time_text(mean(all, sums.ran)));
  for (const auto& [what, time] : parts) {
    fmt::format_to(std::back_inserter(out), "  {:<27} {:>5.1f} %  {:>9}\n", what, 100 * time / all,
                   time_text(mean(time, sums.ran)));
  }
  if (sums.elsewhere > 0) {
    fmt::format_to(std::back_inserter(out), "{} of {} tasks ran on another rank; {} went there, {} back\n",
                   sums.elsewhere, sums.tasks, short_bytes(sums.bytes_there), short_bytes(sums.bytes_back));
  }
}

// Finds tasks, and says what one waits for.
class TaskIndex {
 public:
  explicit TaskIndex(const History& history) : history_(history) {
    for (const Task& task : history.tasks) tasks_[task.id] = &task;
  }
  const Task* find(std::uint64_t id) const {
    const auto found = tasks_.find(id);
    return found == tasks_.end() ? nullptr : found->second;
  }
  std::string why(const Task& task) const {
    switch (task.state()) {
      case State::waits_for_value: {
        if (task.waits_for == 0) return "waits for a value that no task of its rank makes";
        const Task* const other = find(task.waits_for);
        if (!other) return fmt::format("waits for a value of task {:016x}, which left no trace", task.waits_for);
        return fmt::format("waits for {} of task {:016x} ({})",
                           other->state() == State::over ? "other values than that" : "a value", other->id,
                           history_.name_of(*other));
      }
      case State::ready:
        return fmt::format("ready, but no core of rank {} has begun it", task.submitter.rank);
      case State::waits_for_resources:
        return "waits for the resources or the rank that it asks for";
      case State::sent:
        return fmt::format("sent to rank {}, which has not begun it", task.sent_to);
      case State::running:
        return fmt::format("runs on rank {}, thread {}", task.runner.rank, thread_of(task.runner));
      case State::over:
        return "over";
    }
    return "?";
  }
  std::string thread_of(const Place& place) const {
    const auto& threads = history_.ranks.at(place.rank).threads;
    const auto found = threads.find(place.thread);
    return found == threads.end() ? std::to_string(place.thread) : found->second;
  }

 private:
  const History& history_;
  std::unordered_map<std::uint64_t, const Task*> tasks_;
};

void print_pending(std::string& out, const History& history, const Summary& summary, std::size_t most) {
  if (summary.pending.empty()) return;
  const TaskIndex index(history);
  const std::size_t shown = std::min(most, summary.pending.size());
  fmt::format_to(std::back_inserter(out), "\nnot over, the oldest first ({} of {}):\n", shown, summary.pending.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const Task& task = *summary.pending[i];
    const Moment since = task.started.value_or(task.submitted);
    fmt::format_to(std::back_inserter(out), "  {:016x} {}: {}, for {}\n", task.id, history.name_of(task),
                   index.why(task), time_text(static_cast<double>(history.end - since)));
  }
}

nlohmann::ordered_json sums_json(const Sums& sums) {
  return {{"tasks", sums.tasks},
          {"over", sums.over},
          {"failed", sums.failed},
          {"cancelled", sums.cancelled},
          {"retries", sums.retries},
          {"ran_elsewhere", sums.elsewhere},
          {"bytes_there", sums.bytes_there},
          {"bytes_back", sums.bytes_back},
          {"ran", sums.ran},
          {"seconds_waiting_for_values", sums.for_values / second},
          {"seconds_in_queue", sums.in_queue / second},
          {"seconds_on_the_way", sums.on_the_way / second},
          {"seconds_running", sums.running / second},
          {"processor_seconds", sums.processor_time / second},
          {"seconds_coming_back", sums.coming_back / second},
          {"longest_seconds", sums.longest / second}};
}

}  // namespace

std::string functions_text(const Summary& summary) {
  std::string out;
  std::size_t width = 8;
  constexpr std::size_t widest = 48;
  for (const auto& function : summary.functions) width = std::min(widest, std::max(width, function.name.size()));
  fmt::format_to(std::back_inserter(out), "{:<{}}  {:>9} {:>7} {:>7} {:>9} {:>9} {:>9} {:>9} {:>9}\n", "function",
                 width, "tasks", "pending", "failed", "mean", "on a core", "longest", "total", "in queue");
  for (const auto& [name, sums] : summary.functions) {
    fmt::format_to(std::back_inserter(out), "{:<{}}  {:>9} {:>7} {:>7} {:>9} {:>9} {:>9} {:>9} {:>9}\n",
                   name.size() > widest ? name.substr(0, widest - 3) + "..." : name, width, sums.tasks,
                   sums.tasks - sums.over, sums.failed, time_text(mean(sums.running, sums.ran)),
                   time_text(mean(sums.processor_time, sums.ran)), time_text(sums.longest), time_text(sums.running),
                   time_text(mean(sums.in_queue, sums.ran)));
  }
  return out;
}

std::string to_text(const History& history, const Summary& summary, std::size_t most) {
  std::string out = fmt::format("{} tasks in {}: {} over, {} failed, {} cancelled or stopped, {} not over\n",
                                summary.all.tasks, time_text(summary.span), summary.all.over, summary.all.failed,
                                summary.all.cancelled, summary.all.tasks - summary.all.over);
  if (summary.all.retries > 0) out += fmt::format("{} attempts had failed and were made again\n", summary.all.retries);
  if (summary.is_sampled) out += "there were so many that some stand for several: figures are estimates\n";
  if (summary.lost > 0) {
    out += fmt::format("{} events found no room and are missing: some tasks look as if they were not over\n",
                       summary.lost);
  }
  out += "\n" + functions_text(summary);
  print_ranks(out, history, summary);
  print_way(out, summary.all);
  print_pending(out, history, summary, most);
  return out;
}

std::string to_json(const History& history, const Summary& summary) {
  const TaskIndex index(history);
  nlohmann::ordered_json json;
  json["seconds"] = summary.span / second;
  json["sampled"] = summary.is_sampled;
  json["lost_events"] = summary.lost;
  json["all"] = sums_json(summary.all);
  json["functions"] = nlohmann::ordered_json::array();
  for (const auto& [name, sums] : summary.functions) {
    auto entry = sums_json(sums);
    entry["name"] = name;
    json["functions"].push_back(std::move(entry));
  }
  json["ranks"] = nlohmann::ordered_json::array();
  for (const OfRank& rank : summary.ranks) {
    json["ranks"].push_back({{"rank", rank.rank},
                             {"host", history.ranks.at(rank.rank).host},
                             {"cores", rank.cores},
                             {"ran", rank.ran},
                             {"busy_seconds", rank.busy / second}});
  }
  json["pending"] = nlohmann::ordered_json::array();
  for (const Task* const task : summary.pending) {
    json["pending"].push_back({{"id", fmt::format("{:016x}", task->id)},
                               {"name", history.name_of(*task)},
                               {"state", to_string(task->state())},
                               {"why", index.why(*task)},
                               {"age_seconds", static_cast<double>(history.end - task->submitted) / second}});
  }
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string list_text(const History& history) {
  const TaskIndex index(history);
  std::string out;
  for (const Task& task : history.tasks) {
    const bool over = task.state() == State::over;
    const std::string ran =
        task.started && task.ended ? time_text(static_cast<double>(*task.ended - *task.started)) : "-";
    const std::string state(over ? to_string(task.end) : to_string(task.state()));
    const Task* const parent = index.find(task.parent);
    fmt::format_to(std::back_inserter(out), "{:016x} {:>12.6f} {:>9} {} rank {} by {}{} {}\n", task.id,
                   static_cast<double>(task.submitted - history.begin) / second, ran, state,
                   task.started ? std::to_string(task.runner.rank) : "-",
                   parent ? fmt::format("{:016x}", parent->id)
                          : fmt::format("rank {} {}", task.submitter.rank, index.thread_of(task.submitter)),
                   task.stands_for > 1 ? fmt::format(" for {}", task.stands_for) : "", history.name_of(task));
  }
  return out;
}

}  // namespace slipway::task_history
