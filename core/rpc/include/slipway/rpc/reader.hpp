// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "slipway/base/error.hpp"
#include "slipway/rpc/bytes.hpp"
#include "slipway/rpc/transport.hpp"
#include "slipway/rpc/writer.hpp"

namespace slipway {

namespace detail {

// The text says why and what to do; `problem` names the thing.
[[noreturn]] void throw_wire_error(const char* problem);
[[noreturn]] void throw_cut_off();

}  // namespace detail

// Reads one body. Trusts nothing: every size is checked before memory is taken, everything wrong is a WireError.
// Not thread safe.
class Reader {
 public:
  // No segments.
  explicit Reader(std::span<const std::byte> body) : rest_(body) {}
  // Early: the segments are still to come. Arrays are allocated at their final place and noted in destinations();
  // what is decoded must stay where it is, and unread, until the data is there.
  Reader(std::span<const std::byte> body, std::span<const wire::SegmentInfo> announced);
  // Late: the segments are here. A Buffer takes its segment, other arrays copy theirs.
  Reader(std::span<const std::byte> body, std::vector<detail::Bytes> segments)
      : rest_(body), present_(std::move(segments)) {}
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  std::vector<MutableSegment>& destinations() { return destinations_; }
  std::size_t remaining() const { return rest_.size(); }
  // Throws WireError when bytes are left, or a segment was not used.
  void finish() const;

  const std::byte* take(std::size_t count) {
    if (count > rest_.size()) detail::throw_cut_off();
    const std::byte* place = rest_.data();
    rest_ = rest_.subspan(count);
    return place;
  }
  void bytes(void* target, std::size_t count) {
    const std::byte* place = take(count);
    if (count != 0) std::memcpy(target, place, count);
  }
  std::uint64_t size() {
    const auto first = std::to_integer<std::uint64_t>(*take(1));
    if (first < 255) return first;
    std::uint64_t value = 0;
    bytes(&value, sizeof(value));
    return value;
  }
  // A number of elements that take at least one byte each.
  std::size_t count() {
    const std::uint64_t value = size();
    if (value > rest_.size()) detail::throw_cut_off();
    return static_cast<std::size_t>(value);
  }

  // The head of an array; its size has been checked against what is there or announced.
  struct ArrayHead {
    std::size_t count = 0;
    std::size_t bytes = 0;
    bool is_segment = false;
  };
  ArrayHead array_head(std::size_t element_size, bool may_be_segment);
  // Then either: its bytes go to `target`, now or, in the early case, when they come.
  void array(const ArrayHead& head, void* target);
  // Or: in the late case, the segment itself.
  bool can_adopt(const ArrayHead& head) const { return head.is_segment && announced_.empty(); }
  detail::Bytes adopt() { return std::move(present_[next_segment_++]); }

  bool is_early() const { return !announced_.empty(); }

  // While one lives, arrays must be in the body. See Writer.
  class KeepInBody {
   public:
    explicit KeepInBody(Reader& reader) : reader_(reader) { ++reader_.keep_in_body_; }
    ~KeepInBody() { --reader_.keep_in_body_; }
    KeepInBody(const KeepInBody&) = delete;
    KeepInBody& operator=(const KeepInBody&) = delete;

   private:
    Reader& reader_;
  };

  class Level {
   public:
    explicit Level(Reader& reader) : reader_(reader) {
      if (reader_.depth_ >= detail::max_depth) detail::throw_wire_error("values nested too deep");
      ++reader_.depth_;
    }
    ~Level() { --reader_.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    Reader& reader_;
  };

  template <class Archive>
  Archive& user_archive() {
    if (!user_archive_) user_archive_ = std::make_shared<Archive>(*this);
    return *static_cast<Archive*>(user_archive_.get());
  }

 private:
  std::uint64_t next_segment_size() const;

  std::span<const std::byte> rest_;
  std::vector<wire::SegmentInfo> announced_;
  std::vector<detail::Bytes> present_;
  std::size_t next_segment_ = 0;
  std::vector<MutableSegment> destinations_;
  std::shared_ptr<void> user_archive_;
  int keep_in_body_ = 0;
  int depth_ = 0;
};

}  // namespace slipway
