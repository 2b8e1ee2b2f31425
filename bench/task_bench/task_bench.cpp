// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <core.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <slipway/slipway.hpp>
#include <type_traits>
#include <utility>
#include <vector>

// slipway as a back end of Task Bench: its graphs and kernels, our tasks.
namespace {

// What a task gives. Most runs have the smallest size there is, which needs no memory of its own.
using Small = std::array<char, 2 * sizeof(long)>;
using Large = std::vector<char>;
template <class Output>
Output make_output(std::size_t bytes) {
  if constexpr (std::is_same_v<Output, Large>) {
    return Large(bytes);
  } else {
    return Small{};
  }
}

// Each rank has read the same command line.
const App* app = nullptr;

struct Point {
  std::uint32_t graph = 0;
  std::int64_t step = 0;
  std::int64_t place = 0;
};

// Of this thread, as large as any graph wants it.
char* scratch(std::size_t bytes) {
  thread_local std::vector<char> memory;
  if (memory.size() < bytes) {
    memory.resize(bytes);
    TaskGraph::prepare_scratch(memory.data(), memory.size());
  }
  return memory.data();
}

// Task Bench aborts if an input is not what it should be.
template <class Output>
Output run_point(const Point& point, const std::vector<Output>& inputs) {
  const TaskGraph& graph = app->graphs[point.graph];
  std::vector<const char*> pointers;
  for (const Output& input : inputs) pointers.push_back(input.data());
  const std::vector<std::size_t> sizes(inputs.size(), graph.output_bytes_per_task);
  auto output = make_output<Output>(graph.output_bytes_per_task);
  graph.execute_point(point.step, point.place, output.data(), output.size(), pointers.data(), sizes.data(),
                      inputs.size(), scratch(graph.scratch_bytes_per_task), graph.scratch_bytes_per_task);
  return output;
}

// The tasks of one graph, submitted step by step.
template <class Output>
class Steps {
 public:
  explicit Steps(std::uint32_t index) : index_(index), rows_(ahead, Row(static_cast<std::size_t>(graph().max_width))) {}

  bool has_next() const { return step_ < graph().timesteps; }
  void submit_next() {
    Row& row = rows_[static_cast<std::size_t>(step_) % ahead];
    for (auto& ref : row) {
      if (ref) slipway::get(std::exchange(ref, {}));
    }
    const long first = graph().offset_at_timestep(step_);
    const long width = graph().width_at_timestep(step_);
    for (long place = first; place < first + width; ++place) {
      row[static_cast<std::size_t>(place)] =
          slipway::submit<&run_point<Output>>(Point{index_, step_, place}, inputs_of(place));
    }
    ++step_;
  }
  void finish() {
    for (Row& row : rows_) {
      for (auto& ref : row) {
        if (ref) slipway::get(ref);
      }
    }
  }

 private:
  using Row = std::vector<slipway::Ref<Output>>;
  static constexpr std::size_t ahead = 16;  // so that memory is bounded

  const TaskGraph& graph() const { return app->graphs[index_]; }
  Row inputs_of(long place) const {
    Row inputs;
    if (step_ == 0) return inputs;
    const Row& before = rows_[static_cast<std::size_t>(step_ - 1) % ahead];
    const long first = graph().offset_at_timestep(step_ - 1);
    const long last = first + graph().width_at_timestep(step_ - 1) - 1;
    for (const auto& [from, to] : graph().dependencies(graph().dependence_set_at_timestep(step_), place)) {
      for (long each = std::max(from, first); each <= std::min(to, last); ++each) {
        inputs.push_back(before[static_cast<std::size_t>(each)]);
      }
    }
    return inputs;
  }

  const std::uint32_t index_;
  long step_ = 0;
  std::vector<Row> rows_;  // by place
};

struct Submitter {
  void run() {
    bool all_small = true;
    for (const TaskGraph& graph : app->graphs) all_small = all_small && graph.output_bytes_per_task == sizeof(Small);
    app->display();
    const auto start = std::chrono::steady_clock::now();
    if (all_small) {
      run_all<Small>();
    } else {
      run_all<Large>();
    }
    app->report_timing(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  // Graphs side by side.
  template <class Output>
  static void run_all() {
    std::vector<Steps<Output>> all;
    for (std::uint32_t index = 0; index < app->graphs.size(); ++index) all.emplace_back(index);
    for (bool more = true; more;) {
      more = false;
      for (auto& steps : all) {
        if (!steps.has_next()) continue;
        steps.submit_next();
        more = true;
      }
    }
    for (auto& steps : all) steps.finish();
  }
};

}  // namespace

int main(int argc, char** argv) {
  slipway::Options options(argc, argv);
  const App graphs(argc, argv);
  app = &graphs;
  slipway::Program program("task_bench");
  program.with({.resources = {.cpus = 0}, .wishes = {.on_rank = slipway::RankId(0)}}).node<Submitter>("submitter");
  return slipway::launch(program, options);
}
