// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "edge_rules.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "slipway/base/error.hpp"

namespace slipway::testing::detail {

namespace {

constexpr std::string_view anybody = "*";

bool names(const std::string& pattern, const Graph& graph, NodeId node) {
  if (pattern == anybody) return true;
  if (!node) return false;
  const std::string& label = graph.node(node).label;
  return label == pattern || (graph.find_group(pattern) && label.starts_with(pattern + "/"));
}

}  // namespace

void EdgeRules::require_label(const std::string& label) const {
  if (label == anybody || graph_.find_node(label) || graph_.find_group(label)) return;
  throw UsageError(
      fmt::format("an edge of '{}' cannot be changed (no node or group has this label). Use a label of the "
                  "program, or \"*\"",
                  label));
}

void EdgeRules::add(Rule rule) {
  require_label(rule.from);
  require_label(rule.to);
  const std::lock_guard guard(mutex_);
  rules_.push_back(std::move(rule));
  active_.store(true, std::memory_order_release);
}

void EdgeRules::delay_edge(const std::string& from, const std::string& to, std::chrono::nanoseconds duration) {
  add({.from = from, .to = to, .delay = duration.count()});
}

void EdgeRules::fail_edge(const std::string& from, const std::string& to, std::exception_ptr error) {
  add({.from = from, .to = to, .fails = true, .error = std::move(error)});
}

void EdgeRules::mend_edge(const std::string& from, const std::string& to) { add({.from = from, .to = to}); }

const EdgeRules::Rule* EdgeRules::rule_for(NodeId from, NodeId to) const {
  const auto found = std::find_if(rules_.rbegin(), rules_.rend(), [&](const Rule& rule) {
    return names(rule.from, graph_, from) && names(rule.to, graph_, to);
  });
  return found == rules_.rend() ? nullptr : &*found;
}

std::exception_ptr EdgeRules::error_of(const Rule& rule, NodeId to) const {
  if (rule.error) return rule.error;
  return std::make_exception_ptr(
      RemoteError({.type = "slipway::testing::EdgeFailed",
                   .text = fmt::format("the test has broken the edge from '{}' to '{}'", rule.from, rule.to),
                   .node = graph_.node(to).label,
                   .method = {}},
                  HandlerRan::no));
}

slipway::detail::EdgeFault EdgeRules::on_call(NodeId from, NodeId to) {
  const std::lock_guard guard(mutex_);
  const Rule* const rule = rule_for(from, to);
  if (rule && rule->fails) return {.error = error_of(*rule, to)};
  if (rule && rule->delay > 0) return {.delayed = true};
  const auto edge = edges_.find({from, to});
  return {.delayed = edge != edges_.end() && edge->second.held > 0};
}

void EdgeRules::delay(slipway::detail::Endpoint& endpoint, NodeId from, NodeId to,
                      std::unique_ptr<slipway::detail::DelayedSend> call) {
  const std::lock_guard guard(mutex_);
  if (ended_ || std::find(gone_.begin(), gone_.end(), &endpoint) != gone_.end()) return;
  const Rule* const rule = rule_for(from, to);
  Edge& edge = edges_[{from, to}];
  ++edge.held;
  edge.last_due = std::max(edge.last_due, seam::now() + (rule ? rule->delay : 0));
  held_.emplace(edge.last_due, Held{{from, to}, &endpoint, std::move(call)});
  if (!sender_.joinable()) sender_ = seam::Thread("held_calls", [this] { send_due(); });
  ring();
}

void EdgeRules::send_due() {
  std::unique_lock lock(mutex_);
  while (!ended_) {
    const std::uint32_t ticket = bell_.load(std::memory_order_acquire);
    const seam::Time due = held_.empty() ? seam::never : held_.begin()->first;
    if (due > seam::now()) {
      lock.unlock();
      seam::wait(bell_, ticket, due);
      lock.lock();
      continue;
    }
    Held next = std::move(held_.extract(held_.begin()).mapped());
    sending_for_ = next.endpoint;
    lock.unlock();
    next.call.release()->send();
    lock.lock();
    --edges_[next.edge].held;
    sending_for_ = nullptr;
    ring();
  }
}

void EdgeRules::ring() {
  bell_.fetch_add(1, std::memory_order_acq_rel);
  seam::wake_all(bell_);
}

bool EdgeRules::holds_calls_of(const slipway::detail::Endpoint& endpoint) {
  const std::lock_guard guard(mutex_);
  return sending_for_ == &endpoint ||
         std::any_of(held_.begin(), held_.end(), [&](const auto& each) { return each.second.endpoint == &endpoint; });
}

void EdgeRules::drop_calls_of(const slipway::detail::Endpoint& endpoint) {
  std::vector<std::unique_ptr<slipway::detail::DelayedSend>> dropped;  // their callers are told without the lock
  std::unique_lock lock(mutex_);
  gone_.push_back(&endpoint);
  for (auto each = held_.begin(); each != held_.end();) {
    if (each->second.endpoint != &endpoint) {
      ++each;
      continue;
    }
    dropped.push_back(std::move(each->second.call));
    each = held_.erase(each);
  }
  while (sending_for_ == &endpoint) {
    const std::uint32_t ticket = bell_.load(std::memory_order_acquire);
    lock.unlock();
    seam::wait(bell_, ticket);
    lock.lock();
  }
}

void EdgeRules::end() {
  {
    const std::lock_guard guard(mutex_);
    ended_ = true;
    ring();
  }
  if (sender_.joinable()) sender_.join();
}

}  // namespace slipway::testing::detail
