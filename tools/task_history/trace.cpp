// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "task_history/trace.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "slipway/base/error.hpp"

namespace slipway::task_history {

namespace {

constexpr Moment length_of_submission = 100;  // nanoseconds: an arrow begins in a slice

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

class TraceWriter {
 public:
  TraceWriter(const History& history, std::FILE* to) : history_(history), to_(to) {
    for (const std::string& name : history.names) names_.push_back(quoted(name));
  }

  void write() {
    print("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n");
    for (const auto& [number, rank] : history_.ranks) write_rank(number, rank);
    for (const Task& task : history_.tasks) write_task(task);
    print("\n]}\n");
    if (std::fflush(to_) != 0 || std::ferror(to_) != 0) throw Error("the trace cannot be written: is the disk full?");
  }

 private:
  void write_rank(std::uint32_t number, const Rank& rank) {
    const std::string name = quoted(fmt::format("rank {} on {}", number, rank.host));
    event(fmt::format(R"("name":"process_name","ph":"M","pid":{},"args":{{"name":{}}})", number, name));
    for (const auto& [thread, text] : rank.threads) {
      event(fmt::format(R"("name":"thread_name","ph":"M","pid":{},"tid":{},"args":{{"name":{}}})", number, thread,
                        quoted(text)));
    }
  }
  void write_task(const Task& task) {
    const std::string& name = names_[task.name];
    event(
        fmt::format(R"("name":"submit","cat":"submit","ph":"X",{},"dur":{:.3f},"args":{{"task":"{:016x}","name":{}}})",
                    at(task.submitter, task.submitted), microseconds(length_of_submission), task.id, name));
    if (!task.started) return;
    const Moment ended = task.ended.value_or(history_.end);
    event(fmt::format(
        R"("name":{},"cat":"task","ph":"X",{},"dur":{:.3f},"args":{{"task":"{:016x}","parent":"{:016x}","end":"{}","attempts":{},"stands_for":{},"waited_us":{:.3f},"bytes_there":{},"bytes_back":{}}})",
        name, at(task.runner, *task.started), microseconds(ended - *task.started), task.id, task.parent,
        task.ended ? to_string(task.end) : "not over", task.attempts, task.stands_for,
        microseconds(*task.started - task.submitted), task.bytes_there, task.bytes_back));
    event(fmt::format(R"("name":"submit","cat":"task","ph":"s","id":"{:x}",{})", task.id,
                      at(task.submitter, task.submitted)));
    event(fmt::format(R"("name":"submit","cat":"task","ph":"f","bp":"e","id":"{:x}",{})", task.id,
                      at(task.runner, *task.started)));
  }

  std::string at(const Place& place, Moment moment) const {
    return fmt::format(R"("pid":{},"tid":{},"ts":{:.3f})", place.rank, place.thread,
                       microseconds(moment - history_.begin));
  }
  static double microseconds(Moment nanoseconds) { return static_cast<double>(nanoseconds) / 1e3; }
  void event(const std::string& content) {
    print((first_ ? "{" : ",\n{") + content + "}");
    first_ = false;
  }
  void print(const std::string& text) { std::fwrite(text.data(), 1, text.size(), to_); }

  const History& history_;
  std::FILE* const to_;
  std::vector<std::string> names_;  // as JSON
  bool first_ = true;
};

}  // namespace

void write_trace(const History& history, std::FILE* to) { TraceWriter(history, to).write(); }

}  // namespace slipway::task_history
