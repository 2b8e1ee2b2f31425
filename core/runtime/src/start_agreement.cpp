// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "start_agreement.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstdlib>
#include <map>
#include <optional>
#include <span>

#include "control.hpp"
#include "endings.hpp"
#include "slipway/base/error.hpp"
#include "slipway/graph/agreement.hpp"
#include "slipway/graph/validate.hpp"
#include "slipway/rpc/archive.hpp"
#include "slipway/rpc/method.hpp"
#include "slipway/rpc/wire.hpp"
#include "slipway/runtime/gpus.hpp"
#include "slipway/runtime/rank_resources.hpp"
#include "slipway/state/saved_state.hpp"

namespace slipway::detail {

namespace {

// What one rank says first. The whole items follow only when digests differ.
struct Greeting {
  std::uint64_t digest = 0;
  double cpus = 1;
  std::string cores;
  VisibleGpus gpus;
  std::uint64_t memory = 0;  // of its host, in bytes
  std::map<std::string, double> named;
  std::string run_directory;
  std::uint32_t saved_state = 0;
  std::string problem;  // it cannot start: why
};

std::string to_text(const Greeting& greeting) {
  Writer writer;
  encode(writer, greeting.digest);
  encode(writer, greeting.cpus);
  encode(writer, greeting.cores);
  encode(writer, greeting.gpus.variable);
  encode(writer, greeting.gpus.devices);
  encode(writer, greeting.gpus.dealt);
  encode(writer, greeting.memory);
  encode(writer, greeting.named);
  encode(writer, greeting.run_directory);
  encode(writer, greeting.saved_state);
  encode(writer, greeting.problem);
  return text_of(writer);
}

Greeting greeting_from(const std::string& text) {
  Reader reader(std::as_bytes(std::span(text.data(), text.size())));
  Greeting greeting;
  decode(reader, greeting.digest);
  decode(reader, greeting.cpus);
  decode(reader, greeting.cores);
  decode(reader, greeting.gpus.variable);
  decode(reader, greeting.gpus.devices);
  decode(reader, greeting.gpus.dealt);
  decode(reader, greeting.memory);
  decode(reader, greeting.named);
  decode(reader, greeting.run_directory);
  decode(reader, greeting.saved_state);
  decode(reader, greeting.problem);
  reader.finish();
  return greeting;
}

std::vector<AgreementItem> items_of(const Graph& graph) {
  std::vector<AgreementItem> items;
  items.push_back({"wire version", std::to_string(wire::version)});
  items.push_back({"byte order", std::endian::native == std::endian::little ? "little" : "big"});
  const auto of_graph = agreement_items(graph);
  items.insert(items.end(), of_graph.begin(), of_graph.end());
  items.push_back({"number of callable methods", std::to_string(method_table().size())});
  for (const MethodEntry* const method : method_table()) {
    items.push_back(
        {fmt::format("method '{}'", method->name), fmt::format("{} layout {:x}", method->symbol, method->layout)});
  }
  return items;
}

std::string lines_of(const std::vector<AgreementItem>& items) {
  Writer writer;
  encode(writer, static_cast<std::uint64_t>(items.size()));
  for (const auto& item : items) {
    encode(writer, item.name);
    encode(writer, item.content);
  }
  return text_of(writer);
}

std::vector<AgreementItem> items_from(const std::string& text) {
  Reader reader(std::as_bytes(std::span(text.data(), text.size())));
  std::uint64_t count = 0;
  decode(reader, count);
  std::vector<AgreementItem> items;
  for (; count > 0; --count) {
    AgreementItem item;
    decode(reader, item.name);
    decode(reader, item.content);
    items.push_back(std::move(item));
  }
  return items;
}

[[noreturn]] void throw_difference(const RankSetup& setup, const std::vector<Greeting>& greetings,
                                   const std::vector<AgreementItem>& own, seam::Time deadline) {
  const auto all = setup.transport->all_gather(lines_of(own), deadline);
  const auto first = items_from(all[0]);
  for (std::size_t rank = 1; rank < all.size(); ++rank) {
    if (greetings[rank].digest == greetings[0].digest) continue;
    const auto difference = first_difference(first, items_from(all[rank]));
    throw UsageError(
        fmt::format("ranks 0 and {} do not run the same program: {}. Every rank must build the same graph "
                    "from the same sources; look for conditions on rank, host or environment",
                    rank, difference.value_or("an item differs")));
  }
  throw UsageError("ranks do not run the same program");
}

// By rank. Ranks of one process see one list, as ranks of one host mostly do.
std::vector<GpuShare> deal_gpus(const Transport& transport, const std::vector<Greeting>& greetings,
                                const std::vector<std::uint32_t>& order, double wanted) {
  const auto& host_of = transport.host_of_rank();
  std::vector<HostShare> hosts(transport.host_names().size(), {.ranks = 0, .wanted = wanted});
  std::vector<const VisibleGpus*> first_list(hosts.size(), nullptr);
  for (std::size_t rank = 0; rank < greetings.size(); ++rank) {
    const std::size_t host = host_of[rank].index();
    if (!first_list[host]) first_list[host] = &greetings[rank].gpus;
    hosts[host].same_list = hosts[host].same_list && greetings[rank].gpus == *first_list[host];
    ++hosts[host].ranks;
  }
  std::vector<GpuShare> shares;
  for (std::size_t rank = 0; rank < greetings.size(); ++rank) {
    HostShare& host = hosts[host_of[rank].index()];
    shares.push_back(gpus_of_rank(greetings[rank].gpus, host, order));
    ++host.rank;
  }
  return shares;
}

Machine machine_of(const Transport& transport, const std::vector<Greeting>& greetings,
                   const std::vector<GpuShare>& gpus) {
  Machine machine;
  for (const auto& name : transport.host_names()) machine.hosts.push_back({.name = name});
  for (std::size_t rank = 0; rank < greetings.size(); ++rank) {
    Host& host = machine.hosts[transport.host_of_rank()[rank].index()];
    host.gpus += gpus[rank].amount;
    if (host.memory == 0 || greetings[rank].memory < host.memory) host.memory = greetings[rank].memory;
    machine.ranks.push_back({.host = transport.host_of_rank()[rank],
                             .cpus = greetings[rank].cpus,
                             .gpus = gpus[rank].amount,
                             .named = greetings[rank].named,
                             .cores = greetings[rank].cores});
  }
  return machine;
}

// To go on from.
std::uint32_t find_saved_state(const RunDirectory& directory) {
  return SavedState::newest_complete(
      directory.path(), [](const std::string& text) { print_to_stderr("slipway: warning: " + text + "\n"); });
}

}  // namespace

Agreement agree(const RankSetup& setup) {
  const Graph& graph = setup.program->graph();
  const seam::Time deadline = seam::limit_after(setup.options->settings().start_limit);
  Greeting own{.cpus = setup.cpus,
               .cores = setup.cores,
               .gpus = visible_gpus(::getenv),
               .memory = usable_memory(::getenv),
               .named = {},
               .run_directory = {},
               .saved_state = 0,
               .problem = {}};
  std::vector<AgreementItem> items;
  std::optional<RunDirectory> directory;
  std::vector<std::uint32_t> gpu_order;
  try {
    gpu_order = parse_gpu_order(setup.options->settings().gpu_order);
    own.named = parse_named_resources(setup.options->settings().resources);
    validate(graph);
    items = items_of(graph);
    own.digest = digest(items);
    if (setup.transport->rank() == RankId(0) && setup.make_run_directory) {
      directory = setup.make_run_directory();
      own.run_directory = directory->path().string();
      if (setup.options->settings().attempt > 1) own.saved_state = find_saved_state(*directory);
    }
  } catch (const std::exception& error) {
    own.problem = error.what();
  }
  std::vector<Greeting> greetings;
  for (const auto& text : setup.transport->all_gather(to_text(own), deadline)) greetings.push_back(greeting_from(text));
  for (const auto& greeting : greetings) {
    if (!greeting.problem.empty()) throw UsageError(greeting.problem);
  }
  for (const auto& greeting : greetings) {
    if (greeting.digest != greetings[0].digest) throw_difference(setup, greetings, items, deadline);
  }
  const auto gpus = deal_gpus(*setup.transport, greetings, gpu_order, most_gpus_wanted(graph));
  Agreement agreement{.machine = machine_of(*setup.transport, greetings, gpus),
                      .placement = {},
                      .gpus = gpus[setup.transport->rank().index()],
                      .gpu_variable = own.gpus.variable,
                      .saved_state = greetings[0].saved_state,
                      .run_directory = greetings[0].run_directory};
  agreement.placement = place(graph, agreement.machine);
  return agreement;
}

}  // namespace slipway::detail
