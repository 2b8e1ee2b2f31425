// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <numeric>
#include <utility>

#include "slipway/graph/validate.hpp"

namespace slipway {

namespace {

// Disjoint sets; the smallest node of a set is its root, so that the result does not depend on the order of joins.
class DisjointSets {
 public:
  explicit DisjointSets(std::size_t size) : parent_(size) { std::iota(parent_.begin(), parent_.end(), 0U); }

  std::uint32_t root(std::uint32_t item) {
    while (parent_[item] != item) item = parent_[item] = parent_[parent_[item]];
    return item;
  }

  void join(std::uint32_t left, std::uint32_t right) {
    left = root(left);
    right = root(right);
    if (left > right) std::swap(left, right);
    parent_[right] = left;
  }

 private:
  std::vector<std::uint32_t> parent_;
};

}  // namespace

NodeId colocation_partner(const Graph& graph, const Node& node) {
  const std::string& label = node.wishes.colocate_with;
  if (label.empty()) return {};
  if (const NodeId partner = graph.find_node(label)) return partner;
  const GroupId group = graph.find_group(label);
  if (!group || !node.group) return {};
  const auto& members = graph.group(group).members;
  if (members.size() != graph.group(node.group).members.size()) return {};
  return members[node.index];
}

std::vector<std::vector<NodeId>> colocated_sets(const Graph& graph) {
  const auto count = static_cast<std::uint32_t>(graph.nodes().size());
  DisjointSets sets(count);
  for (std::uint32_t index = 0; index < count; ++index) {
    if (const NodeId partner = colocation_partner(graph, graph.nodes()[index])) sets.join(index, partner.value());
  }
  std::vector<std::vector<NodeId>> result;
  std::vector<std::size_t> position(count);
  for (std::uint32_t index = 0; index < count; ++index) {
    const std::uint32_t root = sets.root(index);
    if (root == index) {
      position[index] = result.size();
      result.emplace_back();
    }
    result[position[root]].push_back(NodeId(index));
  }
  return result;
}

}  // namespace slipway
