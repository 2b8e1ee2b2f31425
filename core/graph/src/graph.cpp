// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/graph/graph.hpp"

#include <utility>

namespace slipway {

NodeId Graph::add_node(NodeSpec spec) { return append(Node{std::move(spec)}, State::defined); }

NodeId Graph::declare_node(NodeSpec spec) { return append(Node{std::move(spec)}, State::declared); }

GroupId Graph::add_group(const NodeSpec& spec, std::size_t size) { return append_group(spec, size, State::defined); }

GroupId Graph::declare_group(const NodeSpec& spec, std::size_t size) {
  return append_group(spec, size, State::declared);
}

NodeId Graph::append(Node node, State state) {
  const NodeId id(static_cast<std::uint32_t>(nodes_.size()));
  node_by_label_.try_emplace(node.label, id);
  nodes_.push_back(std::move(node));
  if (state == State::defined) define(id);
  return id;
}

GroupId Graph::append_group(const NodeSpec& spec, std::size_t size, State state) {
  const GroupId id(static_cast<std::uint32_t>(groups_.size()));
  group_by_label_.try_emplace(spec.label, id);
  NodeGroup group{spec.label, spec.type, {}};
  for (std::size_t index = 0; index < size; ++index) {
    Node member{spec};
    member.label += "/" + std::to_string(index);
    member.group = id;
    member.index = static_cast<std::uint32_t>(index);
    group.members.push_back(append(std::move(member), state));
  }
  groups_.push_back(std::move(group));
  return id;
}

void Graph::define(NodeId id) {
  Node& node = nodes_.at(id.index());
  if (node.defined) {
    add_problem("node '" + node.label +
                "' is defined twice (each declared node has one set of constructor arguments): remove one define()");
    return;
  }
  node.defined = true;
  node.definition_number = definitions_++;
}

void Graph::define(GroupId id) {
  for (const NodeId member : groups_.at(id.index()).members) define(member);
}

Edge& Graph::edge(NodeId from, NodeId to) {
  const std::uint64_t ends = (std::uint64_t{from.value()} << 32) | to.value();
  const auto [found, added] = edge_by_ends_.try_emplace(ends, edges_.size());
  if (added) edges_.push_back({from, to});
  return edges_[found->second];
}

void Graph::add_edge(NodeId from, NodeId to) { edge(from, to); }

void Graph::add_edge(NodeId from, NodeId to, double traffic) { edge(from, to).traffic = traffic; }

void Graph::set_resources(NodeId id, Resources resources) { nodes_.at(id.index()).resources = std::move(resources); }

void Graph::set_wishes(NodeId id, Wishes wishes) { nodes_.at(id.index()).wishes = std::move(wishes); }

void Graph::set_computes(NodeId id, bool computes) { nodes_.at(id.index()).computes = computes; }

NodeId Graph::find_node(std::string_view label) const {
  const auto found = node_by_label_.find(std::string(label));
  return found == node_by_label_.end() ? NodeId() : found->second;
}

GroupId Graph::find_group(std::string_view label) const {
  const auto found = group_by_label_.find(std::string(label));
  return found == group_by_label_.end() ? GroupId() : found->second;
}

}  // namespace slipway
