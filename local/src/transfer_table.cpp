// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "transfer_table.hpp"

#include <mutex>
#include <string>
#include <utility>

#include "slipway/base/error.hpp"

namespace slipway::local {

namespace {

void require_fit(const Transfer& transfer, const std::vector<MutableSegment>& destinations) {
  bool fits = destinations.size() == transfer.infos.size();
  for (std::size_t i = 0; fits && i < destinations.size(); ++i) {
    fits = destinations[i].size == transfer.infos[i].size;
  }
  if (fits) return;
  throw Error("the destinations of transfer " + std::to_string(transfer.id) +
              " do not fit (segments must be as many and as large as announced); accept it with the announced sizes");
}

}  // namespace

TransferId TransferTable::add(RankId from, RankId to, LargeFrame large) {
  auto transfer = std::make_shared<Transfer>();
  transfer->from = from;
  transfer->to = to;
  for (const ConstSegment& segment : large.segments) transfer->infos.push_back(segment.info);
  transfer->large = std::move(large);
  const std::lock_guard guard(lock_);
  transfer->id = next_++;
  const TransferId id = transfer->id;
  transfers_.emplace(id, std::move(transfer));
  return id;
}

std::shared_ptr<Transfer> TransferTable::claim(TransferId id) {
  const std::lock_guard guard(lock_);
  const auto found = transfers_.find(id);
  if (found == transfers_.end()) return nullptr;
  found->second->claimed = true;
  return found->second;
}

bool TransferTable::end_claim(Transfer& transfer) {
  const std::lock_guard guard(lock_);
  transfer.claimed = false;
  return transfer.over;
}

bool TransferTable::set_destinations(TransferId id, std::vector<MutableSegment> destinations) {
  const std::lock_guard guard(lock_);
  const auto found = transfers_.find(id);
  if (found == transfers_.end()) return false;
  require_fit(*found->second, destinations);
  found->second->destinations = std::move(destinations);
  return true;
}

bool TransferTable::end_locked(Transfer& transfer) {
  transfer.over = true;
  return !transfer.claimed;
}

std::shared_ptr<Transfer> TransferTable::end(TransferId id) {
  const std::lock_guard guard(lock_);
  const auto found = transfers_.find(id);
  if (found == transfers_.end()) return nullptr;
  auto transfer = std::move(found->second);
  transfers_.erase(found);
  return end_locked(*transfer) ? transfer : nullptr;
}

std::vector<std::shared_ptr<Transfer>> TransferTable::end_all_from(RankId from) {
  std::vector<std::shared_ptr<Transfer>> ended;
  const std::lock_guard guard(lock_);
  for (auto next = transfers_.begin(); next != transfers_.end();) {
    if (next->second->from != from) {
      ++next;
      continue;
    }
    if (end_locked(*next->second)) ended.push_back(next->second);
    next = transfers_.erase(next);
  }
  return ended;
}

}  // namespace slipway::local
