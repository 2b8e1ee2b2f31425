// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <charconv>
#include <vector>

#include "modes.hpp"
#include "slipway/base/error.hpp"
#include "slipway/base/text.hpp"
#include "slipway/graph/placement.hpp"
#include "slipway/graph/plan.hpp"
#include "slipway/graph/validate.hpp"
#include "slipway/runtime/gpus.hpp"

namespace slipway::launching {

namespace {

struct Hosts {
  std::uint32_t count = 1;
  std::uint32_t cores = 1;
  std::uint32_t gpus = 0;
};

[[noreturn]] void refuse(const std::string& text) {
  throw UsageError("--slipway-plan-on has the value '" + text +
                   "' (it must be hosts x cores, or hosts x cores x GPUs) write for example 4x56 or 4x56x8");
}

// "4x56", "4x56x8"
Hosts hosts_from(const std::string& text) {
  std::vector<std::uint32_t> numbers;
  for (const std::string_view part : split(text, 'x')) {
    std::uint32_t number = 0;
    const auto [rest, error] = std::from_chars(part.data(), part.data() + part.size(), number);
    if (error != std::errc() || rest != part.data() + part.size()) refuse(text);
    numbers.push_back(number);
  }
  constexpr std::uint64_t most_hosts = 1'000'000;
  const bool complete = numbers.size() == 2 || numbers.size() == 3;
  if (!complete || numbers[0] == 0 || numbers[1] == 0 || numbers[0] > most_hosts) {
    refuse(text);
  }
  return {numbers[0], numbers[1], numbers.size() == 3 ? numbers[2] : 0};
}

}  // namespace

int print_plan_on(const Program& program, const Options& options) {
  const Settings& settings = options.settings();
  const Hosts hosts = hosts_from(settings.plan_on);
  validate(program.graph());
  const std::size_t cores = std::size_t{hosts.count} * hosts.cores;
  const std::size_t ranks = settings.ranks > 0 ? settings.ranks : wanted_ranks(program.graph(), cores);
  const std::size_t ranks_per_host = (ranks + hosts.count - 1) / hosts.count;
  Machine machine = uniform_machine(hosts.count, ranks_per_host, hosts.cores);
  for (auto& host : machine.hosts) host.gpus = hosts.gpus;
  const VisibleGpus all{.variable = "plan", .devices = std::vector<std::string>(hosts.gpus, "gpu")};
  HostShare host{.ranks = static_cast<std::uint32_t>(ranks_per_host), .wanted = most_gpus_wanted(program.graph())};
  for (std::size_t rank = 0; rank < machine.ranks.size(); ++rank) {
    host.rank = static_cast<std::uint32_t>(rank % ranks_per_host);
    machine.ranks[rank].gpus = gpus_of_rank(all, host).amount;
  }
  const Placement placement = place(program.graph(), machine);
  fmt::print("{}", render({program.graph(), machine, placement}, format_of(settings.plan)));
  return 0;
}

}  // namespace slipway::launching
