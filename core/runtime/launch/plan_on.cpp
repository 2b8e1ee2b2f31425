// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <charconv>
#include <string_view>
#include <vector>

#include "modes.hpp"
#include "slipway/base/error.hpp"
#include "slipway/base/text.hpp"
#include "slipway/graph/placement.hpp"
#include "slipway/graph/plan.hpp"
#include "slipway/graph/validate.hpp"
#include "slipway/runtime/gpus.hpp"
#include "slipway/runtime/rank_resources.hpp"

namespace slipway::launching {

namespace {

// What `slipway submit` looks for in the file of a program before it asks for a plan: other programs would not know the
// option, and might begin their work. The same text stands in tools/slipway/program_plan.cpp.
[[gnu::used]] const char mark_of_programs[] = "slipway program: knows --slipway-plan-on, form 1";

// Equal hosts.
struct HostKind {
  std::uint32_t count = 1;
  std::uint32_t cores = 1;
  std::uint32_t gpus = 0;
  std::uint32_t ranks = 0;  // on each; 0: not said
};

struct Hosts {
  std::vector<HostKind> kinds;
  std::vector<std::string_view> names;  // of all, in order; empty: not known yet
  std::size_t count() const {
    std::size_t sum = 0;
    for (const auto& kind : kinds) sum += kind.count;
    return sum;
  }
};

[[noreturn]] void refuse(const std::string& text) {
  throw UsageError("--slipway-plan-on has the value '" + text +
                   "' (it must be hosts x cores, or hosts x cores x GPUs, each with :RANKS of a host where there are "
                   "several joined by +, and perhaps @NAMES of all hosts) write for example 4x56, 4x56x8, "
                   "1x56x8:1+3x128:16 or 2x56@alpha,beta");
}

std::uint32_t number_from(std::string_view digits, const std::string& text) {
  std::uint32_t number = 0;
  const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || rest != digits.data() + digits.size()) refuse(text);
  return number;
}

// "4x56", "4x56x8", "4x56x8:2"
HostKind kind_from(std::string_view kind, const std::string& text) {
  const std::size_t colon = kind.find(':');
  std::vector<std::uint32_t> numbers;
  for (const std::string_view part : split(kind.substr(0, colon), 'x')) numbers.push_back(number_from(part, text));
  const bool complete = numbers.size() == 2 || numbers.size() == 3;
  if (!complete || numbers[0] == 0 || numbers[1] == 0) refuse(text);
  const bool has_ranks = colon != std::string_view::npos;
  const std::uint32_t ranks = has_ranks ? number_from(kind.substr(colon + 1), text) : 0;
  if (has_ranks && ranks == 0) refuse(text);
  return {numbers[0], numbers[1], numbers.size() == 3 ? numbers[2] : 0, ranks};
}

Hosts hosts_from(const std::string& text) {
  const std::string_view whole = text;
  const std::size_t mark = whole.find('@');
  Hosts hosts;
  for (const std::string_view kind : split(whole.substr(0, mark), '+')) hosts.kinds.push_back(kind_from(kind, text));
  if (mark != std::string_view::npos) hosts.names = split(whole.substr(mark + 1), ',');
  constexpr std::size_t most_hosts = 1'000'000;
  if (hosts.count() > most_hosts || (!hosts.names.empty() && hosts.names.size() != hosts.count())) refuse(text);
  for (const auto& kind : hosts.kinds) {
    if (kind.ranks == 0 && hosts.kinds.size() > 1) refuse(text);
  }
  return hosts;
}

// Ranks of a host that nobody said: enough for those asked for, or for what the graph can use.
std::uint32_t ranks_of_host(const Graph& graph, const Settings& settings, const HostKind& kind) {
  if (kind.ranks > 0) return kind.ranks;
  const std::size_t cores = std::size_t{kind.count} * kind.cores;
  const std::size_t ranks = settings.ranks > 0 ? settings.ranks : wanted_ranks(graph, cores);
  return static_cast<std::uint32_t>((ranks + kind.count - 1) / kind.count);
}

void add_hosts(Machine& machine, const HostKind& kind, std::uint32_t ranks, double most_gpus,
               const std::map<std::string, double>& named) {
  const VisibleGpus all{.variable = "plan", .devices = std::vector<std::string>(kind.gpus, "gpu")};
  for (std::uint32_t i = 0; i < kind.count; ++i) {
    const HostId host(static_cast<std::uint32_t>(machine.hosts.size()));
    const double cores = kind.cores;
    machine.hosts.push_back(
        {.name = "host" + std::to_string(host.value()), .cores = cores, .gpus = static_cast<double>(kind.gpus)});
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      const HostShare share{.rank = rank, .ranks = ranks, .wanted = most_gpus};
      machine.ranks.push_back(
          {.host = host, .cpus = cores / ranks, .gpus = gpus_of_rank(all, share).amount, .named = named});
    }
  }
}

// Who does not know the names of the hosts yet cannot tell whether a wish for some of them can be had.
Graph without_host_wishes(const Graph& graph) {
  Graph copy = graph;
  for (std::uint32_t node = 0; node < graph.nodes().size(); ++node) {
    Wishes wishes = graph.nodes()[node].wishes;
    if (wishes.on_hosts.empty()) continue;
    wishes.on_hosts.clear();
    copy.set_wishes(NodeId(node), wishes);
  }
  return copy;
}

}  // namespace

int print_plan_on(const Program& program, const Options& options) {
  const Settings& settings = options.settings();
  const Hosts hosts = hosts_from(settings.plan_on);
  const Graph& graph = program.graph();
  try {
    validate(graph);
    Machine machine;
    const auto named = parse_named_resources(settings.resources);
    for (const auto& kind : hosts.kinds) {
      add_hosts(machine, kind, ranks_of_host(graph, settings, kind), most_gpus_wanted(graph), named);
    }
    for (std::size_t host = 0; host < hosts.names.size(); ++host) machine.hosts[host].name = hosts.names[host];
    const Placement placement = place(hosts.names.empty() ? without_host_wishes(graph) : graph, machine);
    if (!settings.quiet) fmt::print("{}", render({graph, machine, placement}, format_of(settings.plan)));
  } catch (const UsageError& refusal) {
    if (format_of(settings.plan) == PlanFormat::json) fmt::print("{}", plan_refusal_json(refusal.what()));
    throw;
  }
  return 0;
}

}  // namespace slipway::launching
