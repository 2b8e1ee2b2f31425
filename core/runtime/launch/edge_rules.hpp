// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "slipway/base/seam.hpp"
#include "slipway/graph/graph.hpp"
#include "slipway/rpc/edge_faults.hpp"

namespace slipway::testing::detail {

// What a test wants of the edges of its program, and the calls that it holds back. Any thread.
class EdgeRules final : public slipway::detail::EdgeFaults {
 public:
  explicit EdgeRules(const Graph& graph) : graph_(graph) {}
  ~EdgeRules() override { end(); }
  EdgeRules(const EdgeRules&) = delete;
  EdgeRules& operator=(const EdgeRules&) = delete;

  void delay_edge(const std::string& from, const std::string& to, std::chrono::nanoseconds duration);
  void fail_edge(const std::string& from, const std::string& to, std::exception_ptr error);
  void mend_edge(const std::string& from, const std::string& to);
  // After the end of all ranks.
  void end();

  bool active() const override { return active_.load(std::memory_order_acquire); }
  slipway::detail::EdgeFault on_call(NodeId from, NodeId to) override;
  void delay(slipway::detail::Endpoint& endpoint, NodeId from, NodeId to,
             std::unique_ptr<slipway::detail::DelayedSend> call) override;
  bool holds_calls_of(const slipway::detail::Endpoint& endpoint) override;
  void drop_calls_of(const slipway::detail::Endpoint& endpoint) override;

 private:
  struct Rule {
    std::string from;
    std::string to;
    seam::Time delay = 0;
    bool fails = false;
    std::exception_ptr error;
  };
  // One node's calls to another that were held back; once there were any, later ones queue behind them.
  struct Edge {
    std::uint32_t held = 0;
    seam::Time last_due = 0;
  };
  using EdgeName = std::pair<NodeId, NodeId>;
  struct Held {
    EdgeName edge;
    slipway::detail::Endpoint* endpoint;
    std::unique_ptr<slipway::detail::DelayedSend> call;
  };

  void add(Rule rule);
  void require_label(const std::string& label) const;
  const Rule* rule_for(NodeId from, NodeId to) const;
  std::exception_ptr error_of(const Rule& rule, NodeId to) const;
  void send_due();
  void ring();

  const Graph& graph_;
  std::atomic<bool> active_{false};
  std::mutex mutex_;  // guards what follows; never held while a call is sent
  std::vector<Rule> rules_;
  std::map<EdgeName, Edge> edges_;
  std::multimap<seam::Time, Held> held_;  // by the time when it is due
  slipway::detail::Endpoint* sending_for_ = nullptr;
  std::vector<const slipway::detail::Endpoint*> gone_;
  bool ended_ = false;
  seam::Word bell_{0};
  seam::Thread sender_;  // started by the first call that is held back
};

}  // namespace slipway::testing::detail
