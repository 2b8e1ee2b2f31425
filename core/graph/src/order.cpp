// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/graph/order.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <utility>

namespace slipway {

namespace {

using Adjacency = std::vector<std::vector<std::uint32_t>>;

Adjacency callees_of(const Graph& graph) {
  Adjacency callees(graph.nodes().size());
  for (const Edge& edge : graph.edges()) {
    if (edge.from != edge.to) callees[edge.from.index()].push_back(edge.to.value());
  }
  return callees;
}

// Tarjan's strongly connected components, with an explicit stack: a chain of 10,000 nodes must not use up the real one.
class Components {
 public:
  explicit Components(const Adjacency& callees)
      : callees_(callees), number_(callees.size(), unseen), low_(callees.size()), component_(callees.size(), unseen) {
    for (std::uint32_t node = 0; node < callees.size(); ++node) {
      if (number_[node] == unseen) visit(node);
    }
  }

  std::uint32_t count() const { return count_; }
  std::uint32_t of(std::uint32_t node) const { return component_[node]; }

 private:
  static constexpr std::uint32_t unseen = std::numeric_limits<std::uint32_t>::max();

  struct Visit {
    std::uint32_t node;
    std::size_t next_callee;
  };

  void enter(std::uint32_t node) {
    number_[node] = low_[node] = next_number_++;
    open_.push_back(node);
    visits_.push_back({node, 0});
  }

  void visit(std::uint32_t first) {
    enter(first);
    while (!visits_.empty()) {
      Visit& current = visits_.back();
      const std::uint32_t node = current.node;
      if (current.next_callee == callees_[node].size()) {
        leave(node);
        continue;
      }
      const std::uint32_t callee = callees_[node][current.next_callee++];
      if (number_[callee] == unseen) {
        enter(callee);
      } else if (component_[callee] == unseen) {
        low_[node] = std::min(low_[node], number_[callee]);
      }
    }
  }

  void leave(std::uint32_t node) {
    visits_.pop_back();
    if (!visits_.empty()) low_[visits_.back().node] = std::min(low_[visits_.back().node], low_[node]);
    if (low_[node] != number_[node]) return;
    std::uint32_t member = unseen;
    do {
      member = open_.back();
      open_.pop_back();
      component_[member] = count_;
    } while (member != node);
    ++count_;
  }

  const Adjacency& callees_;
  std::vector<std::uint32_t> number_;
  std::vector<std::uint32_t> low_;
  std::vector<std::uint32_t> component_;
  std::vector<std::uint32_t> open_;
  std::vector<Visit> visits_;
  std::uint32_t next_number_ = 0;
  std::uint32_t count_ = 0;
};

// The nodes of each component, in the order of definition.
Adjacency members_of(const Graph& graph, const Components& components) {
  std::vector<std::uint32_t> nodes(graph.nodes().size());
  for (std::uint32_t node = 0; node < nodes.size(); ++node) nodes[node] = node;
  std::sort(nodes.begin(), nodes.end(), [&](std::uint32_t left, std::uint32_t right) {
    const auto key = [&](std::uint32_t node) { return std::pair(graph.nodes()[node].definition_number, node); };
    return key(left) < key(right);
  });
  Adjacency members(components.count());
  for (const std::uint32_t node : nodes) members[components.of(node)].push_back(node);
  return members;
}

}  // namespace

// Kahn's algorithm over the components; of those whose callees all exist, the one defined first comes next.
std::vector<NodeId> construction_order(const Graph& graph) {
  const Adjacency callees = callees_of(graph);
  const Components components(callees);
  const Adjacency members = members_of(graph, components);
  std::vector<std::size_t> missing(members.size());
  Adjacency callers(members.size());
  for (std::uint32_t node = 0; node < callees.size(); ++node) {
    for (const std::uint32_t callee : callees[node]) {
      if (components.of(node) == components.of(callee)) continue;
      ++missing[components.of(node)];
      callers[components.of(callee)].push_back(components.of(node));
    }
  }
  using Ready = std::pair<std::uint32_t, std::uint32_t>;  // definition number of the first member, component
  std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;
  const auto make_ready = [&](std::uint32_t component) {
    ready.emplace(graph.nodes()[members[component].front()].definition_number, component);
  };
  for (std::uint32_t component = 0; component < members.size(); ++component) {
    if (missing[component] == 0) make_ready(component);
  }
  std::vector<NodeId> order;
  order.reserve(graph.nodes().size());
  while (!ready.empty()) {
    const std::uint32_t component = ready.top().second;
    ready.pop();
    for (const std::uint32_t node : members[component]) order.push_back(NodeId(node));
    for (const std::uint32_t caller : callers[component]) {
      if (--missing[caller] == 0) make_ready(caller);
    }
  }
  return order;
}

std::vector<NodeId> destruction_order(const Graph& graph) {
  std::vector<NodeId> order = construction_order(graph);
  std::reverse(order.begin(), order.end());
  return order;
}

std::vector<std::vector<NodeId>> call_cycles(const Graph& graph) {
  const Adjacency callees = callees_of(graph);
  std::vector<std::vector<NodeId>> cycles;
  for (const auto& component : members_of(graph, Components(callees))) {
    if (component.size() < 2) continue;
    auto& cycle = cycles.emplace_back();
    for (const std::uint32_t node : component) cycle.push_back(NodeId(node));
  }
  return cycles;
}

}  // namespace slipway
