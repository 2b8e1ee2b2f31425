// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "probe.hpp"

#include <cstring>
#include <string>

#include "endpoint_parts.hpp"

namespace slipway::detail {

namespace {

constexpr std::uint32_t longest_chain = 1000;
constexpr std::size_t longest_path_text = 2000;  // a probe is a small frame

struct DeadlockProbe {
  std::uint64_t origin_key = 0;
  std::uint32_t origin_rank = 0;
  std::uint32_t node = 0;  // the call that is waited for: to this node ...
  std::uint32_t caller = 0;
  std::uint32_t hops = 0;
  std::uint64_t call_id = 0;  // ... by this number of that rank
};

struct Target {
  NodeId node;
  RankId caller;
  std::uint64_t call_id = 0;
  const void* local_state = nullptr;
};

// The key of the wait that keeps the call from its outcome; 0: nothing known keeps it.
std::uint64_t find_blocking_wait(Endpoint& endpoint, NodeSlot& slot, const Target& target) {
  std::uint64_t running = 0;
  std::uint64_t holder = 0;
  bool found = false;
  bool queued = false;
  slot.for_each_running([&](Activity& activity) {
    const bool serves = target.local_state ? activity.local_state == target.local_state
                                           : target.call_id != 0 && activity.caller == target.caller &&
                                                 activity.call_id.load(std::memory_order_relaxed) == target.call_id;
    const std::uint64_t key = activity.waiting_on.load(std::memory_order_acquire);
    if (serves) {
      found = true;
      running = key;
    }
    if (activity.holds_strand) holder = key;
    if (activity.batch && target.call_id != 0) queued = queued || activity.batch->holds(target.caller, target.call_id);
  });
  if (found) return running;
  queued = queued || (target.local_state ? slot.mailbox.serves(target.local_state)
                      : target.call_id   ? slot.mailbox.holds(target.caller, target.call_id)
                                         : true);
  if (!queued) return 0;
  if (!slot.mailbox.is_open()) return endpoint.parts().constructor_waits_on.load(std::memory_order_acquire);
  return slot.mailbox.limit() == 1 ? holder : 0;
}

void send(Endpoint& endpoint, RankId to, DeadlockProbe probe, const std::string& path) {
  std::vector<std::byte> body(sizeof probe + path.size());
  std::memcpy(body.data(), &probe, sizeof probe);
  std::memcpy(body.data() + sizeof probe, path.data(), path.size());
  endpoint.send_probe_frame(to, body);
}

// Follows the chain as far as it stays on this rank.
void follow(Endpoint& endpoint, DeadlockProbe probe, Target target, std::string path) {
  for (; probe.hops < longest_chain; ++probe.hops) {
    const RankId rank = endpoint.rank_of(target.node);
    if (rank != endpoint.rank()) {
      probe.node = target.node.value();
      probe.caller = target.caller.value();
      probe.call_id = target.call_id;
      ++probe.hops;
      send(endpoint, rank, probe, path);
      return;
    }
    NodeSlot* const slot = endpoint.local(target.node);
    if (!slot) return;
    const std::uint64_t key = find_blocking_wait(endpoint, *slot, target);
    if (key == 0) return;
    WaitRegistry& waits = endpoint.parts().waits;
    if (probe.origin_rank == endpoint.rank().value() && key == probe.origin_key) {
      const StateRef<> suspended = waits.mark_deadlocked(key, path);
      if (suspended && suspended->claim()) suspended->fail(std::make_exception_ptr(deadlock_error(path)));
      return;
    }
    const auto wait = waits.find(key);
    if (!wait || wait->limited || !wait->node) return;
    if (path.size() < longest_path_text) path += ", " + wait->who + " waits for " + wait->what;
    target = {wait->node, endpoint.rank(), wait->call_id, wait->local_state};
  }
}

}  // namespace

void send_probe(Endpoint& endpoint, std::uint64_t wait_key) {
  const auto wait = endpoint.parts().waits.find(wait_key);
  if (!wait || wait->limited || !wait->node) return;
  DeadlockProbe probe;
  probe.origin_key = wait_key;
  probe.origin_rank = endpoint.rank().value();
  follow(endpoint, probe, {wait->node, endpoint.rank(), wait->call_id, wait->local_state},
         wait->who + " waits for " + wait->what);
}

void take_probe(Endpoint& endpoint, std::span<const std::byte> body) {
  DeadlockProbe probe;
  if (body.size() < sizeof probe) return;
  std::memcpy(&probe, body.data(), sizeof probe);
  if (probe.node >= endpoint.node_count()) return;
  const auto text = body.subspan(sizeof probe);
  follow(endpoint, probe, {NodeId(probe.node), RankId(probe.caller), probe.call_id, nullptr},
         std::string(reinterpret_cast<const char*>(text.data()), text.size()));
}

}  // namespace slipway::detail
