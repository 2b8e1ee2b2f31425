// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "slipway/graph/graph.hpp"
#include "slipway/graph/placement.hpp"

// A placement as people and programs read it: what --slipway-plan prints, and what the run directory keeps.
namespace slipway {

// What is placed where. The parts must belong together, and outlive the plan.
struct Plan {
  const Graph& graph;
  const Machine& machine;
  const Placement& placement;
};

enum class PlanFormat : std::uint8_t { table, json, dot };

// "table" (or nothing), "json", "dot"; nullopt for any other word.
std::optional<PlanFormat> plan_format_from(std::string_view word);

// All end with a newline.
std::string render(const Plan& plan, PlanFormat format);

// One row a node, in the order of the graph: node, type, what it asks for, rank, host, cores. Columns that nobody needs
// are left out. Below: load of the ranks, traffic, idle and overloaded ranks by number.
std::string plan_table(const Plan& plan);

// An object with "program", "traffic", "hosts", "ranks", "nodes", "edges"; amounts in cpus, devices and bytes.
std::string plan_json(const Plan& plan);

// In its place where the graph has no place: an object with "refused", the reason.
std::string plan_refusal_json(std::string_view reason);

// A drawing for Graphviz: nodes in clusters of their rank, these in clusters of their host.
std::string plan_dot(const Plan& plan);

// Ranks as text, runs of them joined: "0, 2-5, 9".
std::string rank_list(const std::vector<RankId>& ranks);

}  // namespace slipway
