// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "world_state.hpp"

#include <algorithm>
#include <bit>
#include <mutex>

#include "slipway/base/error.hpp"

namespace slipway::local {

namespace {

void validate(std::uint32_t size, const LocalWorldOptions& options) {
  if (size == 0) throw UsageError("a local world of 0 ranks (somebody must run the program); ask for at least 1");
  if (options.fake_hosts == 0 || options.fake_hosts > size) {
    throw UsageError(std::to_string(options.fake_hosts) + " hosts for " + std::to_string(size) +
                     " ranks (each host must have a rank); ask for 1 to " + std::to_string(size));
  }
  if (options.max_small_frame < 64 || options.credits == 0 || options.chunk_bytes == 0 ||
      !std::has_single_bit(options.link_bytes) || options.link_bytes / 4 < options.max_small_frame) {
    throw UsageError(
        "limits of a local world that cannot work (a link must be a power of two and hold four small frames of at "
        "least 64 bytes; credits and chunk at least 1); use larger ones");
  }
}

std::string join(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

}  // namespace

WorldState::WorldState(std::uint32_t size, const LocalWorldOptions& options) : size_(size), options_(options) {
  validate(size, options);
  for (std::uint32_t host = 0; host < options.fake_hosts; ++host) {
    host_names_.push_back(options.fake_hosts == 1 ? "localhost" : "fake-host-" + std::to_string(host));
  }
  for (std::uint64_t rank = 0; rank < size; ++rank) {
    host_of_rank_.emplace_back(static_cast<std::uint32_t>(rank * options.fake_hosts / size));
    endpoints_.push_back(std::make_unique<Endpoint>());
  }
  const LinkLimits limits{
      .capacity = options.link_bytes, .request_room = options.link_bytes / 2, .credits = options.credits};
  for (std::size_t i = 0; i < std::size_t{size} * size; ++i) {
    links_.push_back(std::make_unique<Link>(limits, endpoints_[i / size]->starving_links));
  }
}

void WorldState::take(RankId rank) {
  if (rank.index() >= size_) {
    throw UsageError("rank " + std::to_string(rank.value()) + " of a local world of " + std::to_string(size_) +
                     " (there is none such); ask for one below its size");
  }
  const std::lock_guard guard(endpoint(rank).lock);
  if (endpoint(rank).taken) {
    throw UsageError("the transport of rank " + std::to_string(rank.value()) +
                     " was asked for twice (a rank has one); share the first");
  }
  endpoint(rank).taken = true;
}

void WorldState::hand_back(RankId from, RankId to, LargeFrame frame) {
  Endpoint& sender = endpoint(from);
  {
    const std::lock_guard guard(sender.lock);
    sender.sent.emplace_back(to, std::move(frame));
  }
  sender.add_chore(Endpoint::hand_over_sent);
}

void WorldState::lose(RankId rank, const char* reason) noexcept {
  Endpoint& lost = endpoint(rank);
  if (lost.loss_claimed.exchange(true)) return;
  for (std::size_t i = 0; reason != nullptr && reason[i] != '\0' && i + 1 < lost.last_words.size(); ++i) {
    lost.last_words[i] = reason[i];
  }
  lost.lost.store(true, std::memory_order_release);
  losses_.fetch_add(1, std::memory_order_seq_cst);
  for (const auto& each : endpoints_) each->bell.ring();
  gather_steps_.fetch_add(1, std::memory_order_release);
  seam::wake_all(gather_steps_);
}

std::vector<std::string> WorldState::missing_ranks(std::size_t round) {
  std::vector<std::string> missing;
  const std::lock_guard guard(gather_lock_);
  for (std::size_t rank = 0; rank < size_; ++rank) {
    if (rounds_[round].texts[rank]) continue;
    const bool lost = endpoints_[rank]->lost.load(std::memory_order_acquire);
    missing.push_back("rank " + std::to_string(rank) + (lost ? " (lost)" : ""));
  }
  return missing;
}

std::vector<std::string> WorldState::gather(RankId rank, std::size_t round, const std::string& mine,
                                            seam::Time deadline) {
  {
    const std::lock_guard guard(gather_lock_);
    while (rounds_.size() <= round) rounds_.push_back({std::vector<std::optional<std::string>>(size_), size_});
    rounds_[round].texts[rank.index()] = mine;
    --rounds_[round].missing;
  }
  gather_steps_.fetch_add(1, std::memory_order_release);
  seam::wake_all(gather_steps_);

  for (;;) {
    const std::uint32_t step = gather_steps_.load(std::memory_order_acquire);
    {
      const std::lock_guard guard(gather_lock_);
      const Round& mine_and_others = rounds_[round];
      if (mine_and_others.missing == 0) {
        std::vector<std::string> all;
        for (const auto& text : mine_and_others.texts) all.push_back(*text);
        return all;
      }
    }
    const auto missing = missing_ranks(round);
    const bool hopeless =
        std::any_of(missing.begin(), missing.end(), [](const std::string& name) { return name.ends_with("(lost)"); });
    if (hopeless || !seam::wait(gather_steps_, step, deadline)) {
      throw Error("rank " + std::to_string(rank.value()) + " waited in vain for " + join(missing) +
                  " (all ranks must take part in the start); see why these did not");
    }
  }
}

}  // namespace slipway::local
