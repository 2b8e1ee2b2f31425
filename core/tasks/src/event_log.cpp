// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "event_log.hpp"

#include <pthread.h>

#include <algorithm>
#include <array>
#include <bit>
#include <mutex>
#include <utility>

#include "slipway/observe/wall_clock.hpp"

namespace slipway::detail {

namespace {

constexpr std::uint32_t drains_a_second = 10;
// Then fewer leave a trace: the file takes twice as long to grow by as much again.
constexpr std::uint64_t bytes_until_half = 64ULL << 20U;

std::uint64_t next_number() {
  static std::atomic<std::uint64_t> next{1};
  return next.fetch_add(1, std::memory_order_relaxed);
}

std::string name_of_this_thread() {
  std::array<char, 16> name{};
  pthread_getname_np(pthread_self(), name.data(), name.size());
  return name.data();
}

}  // namespace

EventLog::EventLog() : number_(next_number()) {}

void EventLog::begin(std::filesystem::path path, const TaskEventsHead& head, std::uint32_t rate,
                     std::uint64_t submitted) {
  path_ = std::move(path);
  head_ = head;
  rate_ = rate;
  period_began_.store(submitted, std::memory_order_relaxed);
  set_quota();
}

void EventLog::set_quota() {
  const std::uint64_t halvings = file_ ? std::min<std::uint64_t>(file_->bytes() / bytes_until_half, 20) : 0;
  const std::uint64_t rate = rate_ >> halvings;
  quota_.store(std::bit_ceil(std::max<std::uint64_t>(rate / drains_a_second, 1)), std::memory_order_relaxed);
}

std::uint8_t EventLog::level_of(std::uint64_t serial) const {
  const std::uint64_t quota = quota_.load(std::memory_order_relaxed);
  if (quota == 0) return unseen;
  const std::uint64_t began = period_began_.load(std::memory_order_relaxed);
  const std::uint64_t of_period = serial > began ? serial - began : 0;
  int level = of_period < quota ? 0 : static_cast<int>(std::bit_width(of_period >> (std::bit_width(quota) - 1)));
  level += thinner_.load(std::memory_order_relaxed);
  if (level == 0) return 0;
  // Spread evenly, without a rhythm that a loop of submissions could have as well.
  constexpr std::uint64_t golden = 0x9E3779B97F4A7C15;
  return (serial * golden) >> (64 - level) == 0 ? static_cast<std::uint8_t>(level) : unseen;
}

bool EventLog::Ring::put(const TaskEvent& event) {
  const std::uint64_t at = written.load(std::memory_order_relaxed);
  if (at - read.load(std::memory_order_acquire) == size) return false;
  events[at % size] = event;
  written.store(at + 1, std::memory_order_release);
  return true;
}

void EventLog::note(TaskEvent event) {
  if (!is_on()) return;  // the trace level of a guest comes from another rank
  Ring& ring = ring_of_this_thread();
  event.time = seam::now();
  event.thread = ring.thread;
  if (!ring.put(event)) ring.lost.fetch_add(1, std::memory_order_relaxed);
}

EventLog::Ring& EventLog::ring_of_this_thread() {
  struct Latest {
    std::uint64_t log = 0;
    std::shared_ptr<Ring> ring;

    Latest() = default;
    Latest(Latest&&) = default;
    Latest& operator=(Latest&& other) noexcept {
      give_up();
      log = other.log;
      ring = std::move(other.ring);
      return *this;
    }
    ~Latest() { give_up(); }
    void give_up() {
      if (ring) ring->is_free.store(true, std::memory_order_release);
    }
  };
  // Ranks that share a process share threads that come from outside.
  thread_local std::array<Latest, 4> latest;
  for (const Latest& each : latest) {
    if (each.log == number_) return *each.ring;
  }
  for (std::size_t i = latest.size() - 1; i > 0; --i) latest[i] = std::move(latest[i - 1]);
  Latest mine;
  mine.log = number_;
  mine.ring = find_or_make_ring();
  latest.front() = std::move(mine);
  return *latest.front().ring;
}

std::shared_ptr<EventLog::Ring> EventLog::find_or_make_ring() {
  std::string name = name_of_this_thread();
  const std::lock_guard guard(lock_);
  // One of a thread that has ended: its number goes on with this one.
  const auto free = std::find_if(rings_.begin(), rings_.end(),
                                 [](const auto& ring) { return ring->is_free.load(std::memory_order_acquire); });
  auto ring = free != rings_.end() ? *free : std::make_shared<Ring>();
  if (free != rings_.end()) {
    ring->is_free.store(false, std::memory_order_relaxed);
  } else {
    ring->thread = static_cast<std::uint16_t>(rings_.size());
    rings_.push_back(ring);
  }
  new_threads_.emplace_back(ring->thread, std::move(name));
  return ring;
}

std::uint32_t EventLog::number_of(std::string_view name) {
  const std::lock_guard guard(lock_);
  const auto [entry, is_new] = numbers_.try_emplace(std::string(name), static_cast<std::uint32_t>(numbers_.size()));
  if (is_new) new_names_.emplace_back(entry->second, entry->first);
  return entry->second;
}

// How full it was, in events.
std::uint64_t EventLog::collect(Ring& ring) {
  const std::uint64_t from = ring.read.load(std::memory_order_relaxed);
  const std::uint64_t to = ring.written.load(std::memory_order_acquire);
  for (std::uint64_t at = from; at != to; ++at) collected_.push_back(ring.events[at % Ring::size]);
  ring.read.store(to, std::memory_order_release);
  return to - from;
}

void EventLog::drain(std::uint64_t submitted) {
  if (!is_on()) return;
  period_began_.store(submitted, std::memory_order_relaxed);
  try {
    write();
    set_quota();
  } catch (...) {
    quota_.store(0, std::memory_order_relaxed);
    throw;
  }
}

// So that rings are neither too small for what comes in a period, nor hold much less than they could.
void EventLog::adapt(std::uint64_t fullest) {
  const int thinner = thinner_.load(std::memory_order_relaxed);
  if (fullest > Ring::size / 2) {
    thinner_.store(std::min(thinner + 2, 20), std::memory_order_relaxed);
  } else if (fullest < Ring::size / 8 && thinner > 0) {
    thinner_.store(thinner - 1, std::memory_order_relaxed);
  }
}

void EventLog::open_file() {
  file_.emplace(path_, head_);
  file_->add_clock(seam::now(), wall_now());
}

void EventLog::write() {
  std::vector<std::shared_ptr<Ring>> rings;
  {
    const std::lock_guard guard(lock_);
    rings = rings_;
  }
  collected_.clear();
  std::uint64_t lost = 0;
  std::uint64_t fullest = 0;
  for (const auto& ring : rings) {
    fullest = std::max(fullest, collect(*ring));
    lost += ring->lost.exchange(0, std::memory_order_relaxed);
  }
  adapt(fullest);
  if (collected_.empty() && lost == 0) return;
  std::vector<std::pair<std::uint32_t, std::string>> names;
  std::vector<std::pair<std::uint16_t, std::string>> threads;
  {
    const std::lock_guard guard(lock_);  // after the events, which know them
    names.swap(new_names_);
    threads.swap(new_threads_);
  }
  if (!file_) open_file();
  for (const auto& [number, text] : names) file_->add_name(number, text);
  for (const auto& [number, text] : threads) file_->add_thread(number, text);
  file_->add(collected_);
  if (lost > 0) file_->add_lost(lost);
  file_->flush();
}

}  // namespace slipway::detail
