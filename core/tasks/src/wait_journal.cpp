// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "wait_journal.hpp"

#include <mutex>
#include <utility>

namespace slipway::detail {

void WaitJournal::log_into(const std::filesystem::path& file, std::uint64_t most_bytes) {
  path_ = file;
  most_bytes_ = most_bytes;
  is_on_.store(true, std::memory_order_release);
}

void WaitJournal::repeat(std::span<const WaitRecord> records) {
  for (const WaitRecord& each : records) before_[child_id(each.activity, each.number)] = each.place;
}

std::optional<std::size_t> WaitJournal::next(CompletionQueue& queue, Activity& activity, seam::Time deadline) {
  if (queue.left() == 0) return std::nullopt;
  const std::uint32_t number = activity.next_wait++;
  std::optional<std::size_t> index;
  if (const auto place = place_before(queue, activity, number)) {
    if (*place != WaitRecord::nothing) index = queue.next_of(*place);
  } else {
    index = queue.next(deadline);
  }
  if (is_on_.load(std::memory_order_relaxed)) {
    const std::uint32_t place = index ? static_cast<std::uint32_t>(*index) : WaitRecord::nothing;
    const std::lock_guard guard(lock_);
    records_.push_back({activity.id, number, place});
  }
  return index;
}

std::optional<std::uint32_t> WaitJournal::place_before(const CompletionQueue& queue, const Activity& activity,
                                                       std::uint32_t number) {
  if (before_.empty()) return std::nullopt;
  const auto found = before_.find(child_id(activity.id, number));
  const bool fits = found != before_.end() && (found->second == WaitRecord::nothing || queue.waits_for(found->second));
  if (fits) return found->second;
  strayed_.fetch_add(1, std::memory_order_relaxed);
  return std::nullopt;
}

bool WaitJournal::drain() {
  if (!is_on_.load(std::memory_order_relaxed)) return true;
  lock_.lock();
  const auto records = std::exchange(records_, {});
  lock_.unlock();
  if (records.empty()) return true;
  try {
    if (!file_) file_.emplace(path_);
    file_->add(records);
  } catch (...) {
    is_on_.store(false, std::memory_order_relaxed);
    throw;
  }
  if (file_->bytes() < most_bytes_) return true;
  is_on_.store(false, std::memory_order_relaxed);
  return false;
}

}  // namespace slipway::detail
