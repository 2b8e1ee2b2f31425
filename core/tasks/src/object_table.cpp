// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "object_table.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

namespace slipway::detail {

namespace {

// For each ref that leaves its owner.
constexpr std::uint64_t minted = std::uint64_t{1} << 32;
// Of what a borrower has, to each whom it sends the ref on.
constexpr std::uint64_t part_given = 256;

}  // namespace

std::uint64_t ObjectTable::give(ObjectPart& object) {
  const std::lock_guard guard(lock_);
  if (!object.is_borrowed()) {
    Entry& entry = owned_[object.id()];
    if (!entry.object) {
      object.add_ref();
      entry.object = &object;
    }
    entry.weight += minted;
    return minted;
  }
  const auto found = borrowed_.find(key(object));
  if (found == borrowed_.end() || found->second.weight < 2) return 0;
  const std::uint64_t part = std::max<std::uint64_t>(1, found->second.weight / part_given);
  found->second.weight -= part;
  return part;
}

bool ObjectTable::add_weight(RankId owner, std::uint64_t id, std::uint64_t weight) {
  const std::lock_guard guard(lock_);
  const auto found = borrowed_.find(key(owner, id));
  if (found == borrowed_.end()) return false;
  found->second.weight += weight;
  return true;
}

std::uint64_t ObjectTable::mint(std::uint64_t id) {
  const std::lock_guard guard(lock_);
  const auto found = owned_.find(id);
  if (found == owned_.end()) return 0;
  found->second.weight += minted;
  return minted;
}

std::uint64_t ObjectTable::next_private_id() {
  return child_id(child_id(endpoint_.settings().program, ~std::uint64_t{2}),
                  private_ids_.fetch_add(1, std::memory_order_relaxed));
}

ObjectPart* ObjectTable::find_owned(std::uint64_t id) {
  const std::lock_guard guard(lock_);
  const auto found = owned_.find(id);
  if (found == owned_.end()) return nullptr;
  found->second.object->add_ref();
  return found->second.object;
}

ObjectPart* ObjectTable::find_borrowed(RankId owner, std::uint64_t id) {
  const std::lock_guard guard(lock_);
  const auto found = borrowed_.find(key(owner, id));
  return found != borrowed_.end() && found->second.object->try_add_ref() ? found->second.object : nullptr;
}

std::optional<RankId> ObjectTable::add_reader(std::uint64_t id, RankId reader) {
  const auto& hosts = endpoint_.host_of_rank();
  const std::lock_guard guard(lock_);
  const auto found = owned_.find(id);
  if (found == owned_.end()) return std::nullopt;
  auto& readers = found->second.readers;
  if (!readers) readers = std::make_unique<Readers>(hosts[endpoint_.rank().index()]);
  return readers->add(reader, hosts[reader.index()]);
}

void ObjectTable::take_back(std::uint64_t id, std::uint64_t weight) {
  ObjectPart* unknown = nullptr;
  {
    const std::lock_guard guard(lock_);
    const auto found = owned_.find(id);
    if (found == owned_.end() || (found->second.weight -= weight) != 0) return;
    unknown = found->second.object;
    owned_.erase(found);
  }
  unknown->drop_ref();
}

ObjectPart* ObjectTable::borrow(std::uint64_t id, RankId owner, std::uint64_t weight, MakeBorrowed make) {
  const std::lock_guard guard(lock_);
  Entry& entry = borrowed_[key(owner, id)];
  entry.weight += weight;
  // One whose last ref has just gone leaves its place, and its weight, to a new one.
  if (!entry.object || !entry.object->try_add_ref()) {
    entry.object = make(id, owner);
    entry.object->state().info.endpoint = &endpoint_;
  }
  return entry.object;
}

std::optional<std::uint64_t> ObjectTable::remove_borrowed(const ObjectPart& object) {
  const auto found = borrowed_.find(key(object));
  if (found == borrowed_.end() || found->second.object != &object) return std::nullopt;
  const std::uint64_t weight = found->second.weight;
  borrowed_.erase(found);
  return weight;
}

std::uint64_t ObjectTable::end_borrow(const ObjectPart& object) {
  const std::lock_guard guard(lock_);
  return remove_borrowed(object).value_or(0);
}

std::optional<std::uint64_t> ObjectTable::end_borrow_of_only_ref(ObjectPart& object) {
  const std::lock_guard guard(lock_);
  if (!object.is_only_ref()) return std::nullopt;
  const auto weight = remove_borrowed(object);
  if (weight) object.forget_owner();
  return weight;
}

void ObjectTable::clear() {
  lock_.lock();
  const auto owned = std::exchange(owned_, {});
  const auto borrowed = std::exchange(borrowed_, {});
  for (const auto& [id, entry] : borrowed) {
    entry.object->forget_owner();
    entry.object->state().info.endpoint = nullptr;
  }
  lock_.unlock();
  for (const auto& [id, entry] : owned) entry.object->drop_ref();
}

std::size_t ObjectTable::owned_count() const {
  const std::lock_guard guard(lock_);
  return owned_.size();
}

std::size_t ObjectTable::borrowed_count() const {
  const std::lock_guard guard(lock_);
  return borrowed_.size();
}

}  // namespace slipway::detail
