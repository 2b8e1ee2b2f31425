// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdio>
#include <slipway/slurm/batch_script.hpp>
#include <string>

#include "effort.hpp"

// Writing the batch script of a job on 10,000 nodes that leaves 5,000 others out, the pure function alone.
// Flag: --effort PERCENT.
namespace {

using namespace slipway;

slurm::JobSpec large_job() {
  constexpr std::uint32_t nodes = 10'000;
  constexpr std::uint32_t left_out = 5'000;
  slurm::JobSpec job;
  job.name = "large";
  job.node_sets = {{.nodes = nodes, .ranks_per_node = 8, .cores_per_rank = 7}};
  job.command = {"./train", "--rate", "0.1"};
  job.working_directory = "/work";
  job.run_directory = "/work/runs/large";
  job.time = std::chrono::hours(1);
  for (std::uint32_t node = 0; node < left_out; ++node) {
    job.exclude += fmt::format("{}nid{:06}", node == 0 ? "" : ",", 3 * node);
  }
  return job;
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Effort effort = bench::effort_from(argc, argv);

  slurm::MachineProfile machine;
  machine.name = "large";
  machine.node_types = {slurm::NodeType{.name = "node", .cores = 64, .usable_cores = 56}};
  const slurm::JobSpec job = large_job();
  std::size_t written = 0;
  bench::print_figure("script_ms", bench::median([&] {
                        const int turns = effort.of(20);
                        const auto start = bench::Clock::now();
                        for (int turn = 0; turn < turns; ++turn) written += slurm::batch_script(job, machine).size();
                        return 1000 * bench::seconds_since(start) / turns;
                      }));
  if (written < job.exclude.size()) {
    std::fputs("bench_script: the list of hosts is missing in the script\n", stderr);
    return 1;
  }
}
