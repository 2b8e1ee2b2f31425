// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "slipway/base/ids.hpp"

// The untyped graph of a program: what runs, who calls whom, and what each node needs. Pure data: nothing here knows of
// ranks that exist, of messages or of user types. The typed Program writes it; validation, ordering and placement read
// it.
namespace slipway {

// What a node needs. Members keep their order for ever; new ones go last (designated initialisers).
struct Resources {
  double cpus = 1;                           // cores kept busy; may be a fraction, or 0 for a node that hardly computes
  double gpus = 0;                           // devices; never promised twice
  std::uint64_t memory = 0;                  // bytes; never promised twice where the machine's memory is known
  std::map<std::string, double> named = {};  // resources that a rank declares by name ("camera", "licence"); as gpus
};

// Where a node wishes to be. A wish holds or the start fails: none is a hint. Members keep their order for ever.
struct Wishes {
  std::string colocate_with = {};  // same rank as the node of this label; as a group's label: member i with member i
  bool spread = false;             // members of this node's group are on different hosts
  bool exclusive = false;          // no other node on its rank
  RankId on_rank = {};             // exactly this rank
  std::string on_hosts = {};       // a host whose name matches this pattern: * any text, ? any character, [a-c] a range
};

// A node as its program describes it. Members keep their order for ever.
struct NodeSpec {
  std::string label = {};  // letters, digits and _ - . / ; 1 to 200 characters; unique in the program
  std::string type = {};   // demangled name of the user's class
  Resources resources = {};
  Wishes wishes = {};
  bool worker = false;    // has run(): the program ends when all workers have returned
  bool computes = false;  // keeps its cpus busy: placed on a core of its own while one is free
};

struct Node : NodeSpec {
  GroupId group = {};                   // names nothing for a single node
  std::uint32_t index = 0;              // place in the group
  bool defined = false;                 // false between declare() and define()
  std::uint32_t definition_number = 0;  // 0 for the node defined first; counts define(), not declare()
};

// An ordered set of nodes of one type. The members are labelled "label/0", "label/1", ...
struct NodeGroup {
  std::string label;
  std::string type;
  std::vector<NodeId> members;
};

// The caller holds a handle to the callee.
struct Edge {
  NodeId from;         // caller
  NodeId to;           // callee
  double traffic = 1;  // in any unit, as long as the whole program uses the same; finite, not negative
};

// Nothing here throws for a mistake in the program: mistakes are kept and told together by validate(). Ids count from 0
// in the order of the calls that made them. Not thread-safe while written; any number of threads may read.
class Graph {
 public:
  explicit Graph(std::string name) : name_(std::move(name)) {}

  NodeId add_node(NodeSpec spec);
  // The label of `spec` is the group's; all members share the rest of it.
  GroupId add_group(const NodeSpec& spec, std::size_t size);

  // A node or group that others may hold handles to before its own handles are known (cycles).
  NodeId declare_node(NodeSpec spec);
  GroupId declare_group(const NodeSpec& spec, std::size_t size);
  void define(NodeId node);
  void define(GroupId group);

  // One edge is kept for each (caller, callee), with traffic 1. The second form states the traffic, also of an edge
  // that exists already. An edge to itself is legal and has no effect on order and placement.
  void add_edge(NodeId from, NodeId to);
  void add_edge(NodeId from, NodeId to, double traffic);

  void set_resources(NodeId node, Resources resources);
  void set_wishes(NodeId node, Wishes wishes);
  void set_computes(NodeId node, bool computes);

  // Keeps a mistake that the caller found (a handle of another program, ...) for validate() to tell with the others.
  void add_problem(std::string text) { problems_.push_back(std::move(text)); }

  const std::string& name() const { return name_; }
  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<NodeGroup>& groups() const { return groups_; }
  const std::vector<Edge>& edges() const { return edges_; }
  const std::vector<std::string>& problems() const { return problems_; }

  // The id must be one that this graph gave (throws std::out_of_range).
  const Node& node(NodeId id) const { return nodes_.at(id.index()); }
  const NodeGroup& group(GroupId id) const { return groups_.at(id.index()); }

  // The first node, or group, of that label; names nothing if there is none.
  NodeId find_node(std::string_view label) const;
  GroupId find_group(std::string_view label) const;

 private:
  enum class State { declared, defined };

  NodeId append(Node node, State state);
  GroupId append_group(const NodeSpec& spec, std::size_t size, State state);
  Edge& edge(NodeId from, NodeId to);

  std::string name_;
  std::vector<Node> nodes_;
  std::vector<NodeGroup> groups_;
  std::vector<Edge> edges_;
  std::vector<std::string> problems_;
  std::uint32_t definitions_ = 0;
  std::unordered_map<std::string, NodeId> node_by_label_;
  std::unordered_map<std::string, GroupId> group_by_label_;
  std::unordered_map<std::uint64_t, std::size_t> edge_by_ends_;
};

}  // namespace slipway
