// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>

#include "readers.hpp"
#include "slipway/base/ids.hpp"
#include "slipway/base/seam.hpp"
#include "slipway/tasks/object.hpp"
#include "slipway/tasks/ref.hpp"

namespace slipway::detail {

// The values of this rank that other ranks know, and those that it has borrowed. Any thread.
//
// A ref on its way or on another rank has a weight. The owner mints it and adds it to what is out; who sends a borrowed
// ref on gives a part of its own away; what is left comes back with the last ref of a rank. So the count of the owner
// is 0 only when no other rank has a ref and none is under way, in whatever order messages come.
class ObjectTable {
 public:
  explicit ObjectTable(Endpoint& endpoint) : endpoint_(endpoint) {}

  // Weight for one ref that leaves. 0: of a borrowed object, which has none to spare.
  std::uint64_t give(ObjectPart& object);
  // More of it for a borrowed object. False: this rank has no ref to it.
  [[nodiscard]] bool add_weight(RankId owner, std::uint64_t id, std::uint64_t weight);
  // Of an object of this rank, for a borrower that has none to spare. 0: there is no such object.
  std::uint64_t mint(std::uint64_t id);

  // Of an object that no user's ref names.
  std::uint64_t next_private_id();
  // With a ref; nullptr: this rank owns no such object, or no other rank has a ref to it.
  ObjectPart* find_owned(std::uint64_t id);
  // With a ref; nullptr: this rank has borrowed no such object.
  ObjectPart* find_borrowed(RankId owner, std::uint64_t id);
  // Another rank wants the value of that owned object: who is to give it, nothing: this one.
  std::optional<RankId> add_reader(std::uint64_t id, RankId reader);
  // Weight is back. With the last of it the table's own ref goes, and the value perhaps.
  void take_back(std::uint64_t id, std::uint64_t weight);
  // With a ref.
  ObjectPart* borrow(std::uint64_t id, RankId owner, std::uint64_t weight, MakeBorrowed make);
  // Its last ref has gone. The weight to give back.
  std::uint64_t end_borrow(const ObjectPart& object);
  // The same while one ref is left, from which on nobody can find the object. Nothing: there are more.
  std::optional<std::uint64_t> end_borrow_of_only_ref(ObjectPart& object);

  // The run is over: no other rank will say anything any more.
  void clear();

  std::size_t owned_count() const;
  std::size_t borrowed_count() const;

 private:
  struct Entry {
    ObjectPart* object = nullptr;      // of an owned one, with a ref
    std::uint64_t weight = 0;          // owned: that is out; borrowed: that is here
    std::unique_ptr<Readers> readers;  // of an owned one that is large
  };

  // With lock_. Out of the table, unless another took its place there, and its weight.
  std::optional<std::uint64_t> remove_borrowed(const ObjectPart& object);

  // Threads that users start themselves are numbered on each rank, and so may be ids of what they make.
  static std::uint64_t key(RankId owner, std::uint64_t id) { return child_id(id, owner.value()); }
  static std::uint64_t key(const ObjectPart& object) { return key(object.owner(), object.id()); }

  Endpoint& endpoint_;
  std::atomic<std::uint64_t> private_ids_{0};
  mutable seam::SpinLock lock_;  // guards what follows
  std::unordered_map<std::uint64_t, Entry> owned_;
  std::unordered_map<std::uint64_t, Entry> borrowed_;  // by `key`
};

}  // namespace slipway::detail
