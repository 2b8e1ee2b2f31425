// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/graph/agreement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace slipway {

namespace {

std::string describe_resources(const Resources& resources) {
  std::string text = fmt::format("cpus={} gpus={} memory={}", resources.cpus, resources.gpus, resources.memory);
  for (const auto& [name, amount] : resources.named) text += fmt::format(" '{}'={}", name, amount);
  return text;
}

std::string describe_wishes(const Wishes& wishes) {
  std::string text;
  if (!wishes.colocate_with.empty()) text += fmt::format(" colocate_with='{}'", wishes.colocate_with);
  if (wishes.spread) text += " spread";
  if (wishes.exclusive) text += " exclusive";
  if (wishes.on_rank) text += fmt::format(" on_rank={}", wishes.on_rank.value());
  if (!wishes.on_hosts.empty()) text += fmt::format(" on_hosts='{}'", wishes.on_hosts);
  return text;
}

std::string describe_node(const Node& node) {
  std::string text = fmt::format("type {} number {} {}{}", node.type, node.definition_number,
                                 describe_resources(node.resources), describe_wishes(node.wishes));
  if (node.worker) text += " worker";
  if (node.computes) text += " computes";
  return text;
}

// The edges that leave each node, as " calls 3 x1 4 x1". Ids stand for labels: those are compared on their own.
std::vector<std::string> describe_calls(const Graph& graph) {
  std::vector<std::string> calls(graph.nodes().size());
  for (const Edge& edge : graph.edges()) {
    if (edge.from.index() >= calls.size()) continue;
    std::string& text = calls[edge.from.index()];
    fmt::format_to(std::back_inserter(text), "{} {} x{}", text.empty() ? " calls" : "", edge.to.value(), edge.traffic);
  }
  return calls;
}

void add_to_hash(std::uint64_t& hash, const std::string& text) {
  constexpr std::uint64_t fnv_prime = 0x100000001b3;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * fnv_prime;
  hash = (hash ^ 0xff) * fnv_prime;  // 0xff ends a text: no UTF-8 text contains it
}

}  // namespace

std::vector<AgreementItem> agreement_items(const Graph& graph) {
  std::vector<AgreementItem> items;
  items.push_back({"program", fmt::format("name '{}' with {} nodes, {} groups, {} edges", graph.name(),
                                          graph.nodes().size(), graph.groups().size(), graph.edges().size())});
  for (const NodeGroup& group : graph.groups()) {
    items.push_back(
        {fmt::format("group '{}'", group.label), fmt::format("{} of type {}", group.members.size(), group.type)});
  }
  const std::vector<std::string> calls = describe_calls(graph);
  for (std::size_t index = 0; index < calls.size(); ++index) {
    const Node& node = graph.nodes()[index];
    items.push_back({fmt::format("node '{}'", node.label), describe_node(node) + calls[index]});
  }
  return items;
}

std::uint64_t digest(const std::vector<AgreementItem>& items) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a, 64 bits
  for (const AgreementItem& item : items) {
    add_to_hash(hash, item.name);
    add_to_hash(hash, item.content);
  }
  return hash;
}

std::optional<std::string> first_difference(const std::vector<AgreementItem>& here,
                                            const std::vector<AgreementItem>& there) {
  // The first item counts all others, so it would hide them whenever one is missing: it is told last.
  const std::size_t common = std::min(here.size(), there.size());
  for (std::size_t index = 1; index < common; ++index) {
    if (here[index] == there[index]) continue;
    if (here[index].name == there[index].name) {
      return fmt::format("{} differs (here: {}; there: {})", here[index].name, here[index].content,
                         there[index].content);
    }
    return fmt::format("item {} differs (here: {}; there: {})", index, here[index].name, there[index].name);
  }
  if (here.size() != there.size()) {
    const auto& longer = here.size() > there.size() ? here : there;
    return fmt::format("{} exists only {}", longer[common].name, here.size() > there.size() ? "here" : "there");
  }
  if (common > 0 && here[0] != there[0]) {
    return fmt::format("{} differs (here: {}; there: {})", here[0].name, here[0].content, there[0].content);
  }
  return std::nullopt;
}

}  // namespace slipway
