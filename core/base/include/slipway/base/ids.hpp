// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

namespace slipway {

// A number that names one kind of thing. Ids of different kinds cannot be mixed; a default one names nothing.
template <class Tag, class Value = std::uint32_t>
class Id {
 public:
  using value_type = Value;
  static constexpr Value none = std::numeric_limits<Value>::max();

  constexpr Id() = default;
  constexpr explicit Id(Value value) : value_(value) {}

  constexpr Value value() const { return value_; }
  constexpr std::size_t index() const { return static_cast<std::size_t>(value_); }
  constexpr explicit operator bool() const { return value_ != none; }
  friend constexpr auto operator<=>(Id, Id) = default;

 private:
  Value value_ = none;
};

using RankId = Id<struct RankTag>;      // an MPI rank, or a thread that stands for one
using HostId = Id<struct HostTag>;      // a machine; ranks of one host share memory
using NodeId = Id<struct NodeTag>;      // a node, in the order of definition
using GroupId = Id<struct GroupTag>;    // a group, in the order of definition
using MethodId = Id<struct MethodTag>;  // a row of the method table, equal on all ranks

}  // namespace slipway

template <class Tag, class Value>
struct std::hash<slipway::Id<Tag, Value>> {
  std::size_t operator()(slipway::Id<Tag, Value> id) const noexcept { return std::hash<Value>{}(id.value()); }
};
