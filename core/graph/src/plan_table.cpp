// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "slipway/graph/plan.hpp"

namespace slipway {

namespace {

struct Column {
  std::string title;
  std::vector<std::string> cells;
  bool number = false;  // aligned to the right
};

std::string human_bytes(std::uint64_t bytes) {
  constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB"};
  auto amount = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; amount >= 1024 && unit + 1 < units.size(); ++unit) amount /= 1024;
  return fmt::format("{:.4g} {}", amount, units[unit]);
}

std::string named_resources(const Node& node) {
  std::string text;
  for (const auto& [name, amount] : node.resources.named) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, amount);
  }
  return text;
}

std::string role(const Node& node) {
  std::string text = node.worker ? "worker" : "service";
  return node.computes != node.worker ? text + (node.computes ? ", computes" : ", waits") : text;
}

std::string wishes_of(const Node& node) {
  const Wishes& wishes = node.wishes;
  std::string text;
  const auto add = [&](const std::string& wish) { text += (text.empty() ? "" : ", ") + wish; };
  if (!wishes.colocate_with.empty()) add("with " + wishes.colocate_with);
  if (wishes.spread) add("spread");
  if (wishes.exclusive) add("exclusive");
  if (wishes.on_rank) add(fmt::format("rank {}", wishes.on_rank.value()));
  if (!wishes.on_hosts.empty()) add("hosts " + wishes.on_hosts);
  return text;
}

const RankSlot& slot_of(const Plan& plan, std::size_t node) {
  return plan.machine.ranks[plan.placement.rank_of_node[node].index()];
}

template <class Cell>
Column make_column(const Plan& plan, std::string title, bool number, Cell cell) {
  Column column{std::move(title), {}, number};
  for (std::size_t node = 0; node < plan.graph.nodes().size(); ++node) column.cells.push_back(cell(node));
  return column;
}

std::vector<Column> make_columns(const Plan& plan) {
  const auto& nodes = plan.graph.nodes();
  std::vector<Column> columns;
  const auto add = [&](std::string title, bool number, auto cell) {
    columns.push_back(make_column(plan, std::move(title), number, cell));
  };
  const auto amount = [](double value) { return value == 0 ? std::string() : fmt::format("{}", value); };
  add("node", false, [&](std::size_t node) { return nodes[node].label; });
  add("type", false, [&](std::size_t node) { return nodes[node].type; });
  add("role", false, [&](std::size_t node) { return role(nodes[node]); });
  add("cpus", true, [&](std::size_t node) { return fmt::format("{}", nodes[node].resources.cpus); });
  add("gpus", true, [&](std::size_t node) { return amount(nodes[node].resources.gpus); });
  add("memory", true, [&](std::size_t node) {
    const std::uint64_t memory = nodes[node].resources.memory;
    return memory == 0 ? std::string() : human_bytes(memory);
  });
  add("resources", false, [&](std::size_t node) { return named_resources(nodes[node]); });
  add("wishes", false, [&](std::size_t node) { return wishes_of(nodes[node]); });
  add("rank", true, [&](std::size_t node) { return fmt::format("{}", plan.placement.rank_of_node[node].value()); });
  add("host", false, [&](std::size_t node) { return plan.machine.hosts[slot_of(plan, node).host.index()].name; });
  add("cores", false, [&](std::size_t node) {
    const RankSlot& slot = slot_of(plan, node);
    return slot.cores.empty() ? fmt::format("{:.4g} of its host", slot.cpus) : slot.cores;
  });
  std::erase_if(columns, [](const Column& column) {
    return std::all_of(column.cells.begin(), column.cells.end(), [](const std::string& cell) { return cell.empty(); });
  });
  return columns;
}

void append_table(const std::vector<Column>& columns, std::string& text) {
  std::vector<std::size_t> widths;
  for (const Column& column : columns) {
    std::size_t width = column.title.size();
    for (const std::string& cell : column.cells) width = std::max(width, cell.size());
    widths.push_back(width);
  }
  const auto append_row = [&](auto cell_of) {
    std::string row;
    for (std::size_t index = 0; index < columns.size(); ++index) {
      const std::string& cell = cell_of(columns[index]);
      row += columns[index].number ? fmt::format("{:>{}}  ", cell, widths[index])
                                   : fmt::format("{:<{}}  ", cell, widths[index]);
    }
    row.erase(row.find_last_not_of(' ') + 1);
    text += row + "\n";
  };
  append_row([](const Column& column) -> const std::string& { return column.title; });
  for (std::size_t row = 0; row < columns.front().cells.size(); ++row) {
    append_row([&](const Column& column) -> const std::string& { return column.cells[row]; });
  }
}

void append_load(const Plan& plan, std::string& text) {
  double least = 0;
  double most = 0;
  double sum = 0;
  for (std::size_t rank = 0; rank < plan.machine.ranks.size(); ++rank) {
    const double load = plan.placement.load[rank].cpus / plan.machine.ranks[rank].cpus;
    least = rank == 0 ? load : std::min(least, load);
    most = std::max(most, load);
    sum += load;
  }
  text += fmt::format("load of a rank (cpus asked for / cpus there): {:.3g} to {:.3g}, {:.3g} on average\n", least,
                      most, sum / static_cast<double>(plan.machine.ranks.size()));
}

void append_traffic(const Plan& plan, std::string& text) {
  const double total = total_traffic(plan.graph);
  const auto share = [&](double part) {
    return total > 0 ? fmt::format("{:.4g} ({:.0f} %)", part, 100 * part / total) : std::string("0");
  };
  text += fmt::format("traffic: {:.4g}, of it {} between ranks, {} between hosts\n", total,
                      share(traffic_between_ranks(plan.graph, plan.placement)),
                      share(traffic_between_hosts(plan.graph, plan.machine, plan.placement)));
}

void append_notes(const Plan& plan, std::string& text) {
  const auto& idle = plan.placement.idle_ranks;
  if (!idle.empty()) {
    text +=
        fmt::format("idle: rank{} {} ({} without a node)\n", idle.size() == 1 ? "" : "s", rank_list(idle), idle.size());
  }
  const auto overloaded = overloaded_ranks(plan.machine, plan.placement);
  for (const RankId rank : overloaded) {
    text += fmt::format("overloaded: rank {} (its computing nodes ask for {:.4g} cpus, it has {:.4g})\n", rank.value(),
                        plan.placement.load[rank.index()].computing, plan.machine.ranks[rank.index()].cpus);
  }
}

}  // namespace

std::string plan_table(const Plan& plan) {
  const std::size_t ranks = plan.machine.ranks.size();
  std::string text =
      fmt::format("program '{}': {} node{} on {} rank{} of {} host{}\n\n", plan.graph.name(), plan.graph.nodes().size(),
                  plan.graph.nodes().size() == 1 ? "" : "s", ranks, ranks == 1 ? "" : "s", plan.machine.hosts.size(),
                  plan.machine.hosts.size() == 1 ? "" : "s");
  append_table(make_columns(plan), text);
  text += "\n";
  append_load(plan, text);
  append_traffic(plan, text);
  append_notes(plan, text);
  return text;
}

std::string rank_list(const std::vector<RankId>& ranks) {
  std::string text;
  for (std::size_t first = 0; first < ranks.size();) {
    std::size_t last = first;
    while (last + 1 < ranks.size() && ranks[last + 1].value() == ranks[last].value() + 1) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", ranks[first].value());
    if (last > first) text += fmt::format("{}{}", last == first + 1 ? ", " : "-", ranks[last].value());
    first = last + 1;
  }
  return text;
}

std::optional<PlanFormat> plan_format_from(std::string_view word) {
  if (word.empty() || word == "table") return PlanFormat::table;
  if (word == "json") return PlanFormat::json;
  if (word == "dot") return PlanFormat::dot;
  return std::nullopt;
}

std::string render(const Plan& plan, PlanFormat format) {
  switch (format) {
    case PlanFormat::table:
      return plan_table(plan);
    case PlanFormat::json:
      return plan_json(plan);
    case PlanFormat::dot:
      return plan_dot(plan);
  }
  return plan_table(plan);
}

}  // namespace slipway
