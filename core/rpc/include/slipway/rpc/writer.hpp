// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "slipway/rpc/bytes.hpp"
#include "slipway/rpc/transport.hpp"

// How values become bytes. A body is the values' encodings one after the other, nothing aligned, no names, no types:
//   raw value        its bytes (raw.hpp); padding is zero
//   size             one byte below 255; else the byte 255 and 8 bytes
//   array of raw T   size 2 n + s, then the n elements' bytes (s = 0); or nothing (s = 1): they are the next segment
//   containers       size n, then n elements; filler bytes up to n where the elements take fewer than n bytes
//   optional, pointer   one byte 0 or 1, then the value if 1;  variant: size index, then the alternative
namespace slipway {

namespace detail {

// Segments are at least this large, so that no string keeps one inside itself and moves it about.
inline constexpr std::size_t min_segment = 64;
inline constexpr std::size_t max_segments = 64;
// How deep values may nest; bounds the stack that a message can make its reader use.
inline constexpr int max_depth = 256;

[[noreturn]] void throw_too_deep();

}  // namespace detail

// The growing body of one message, and the arrays that stay outside it. Not thread safe; reusable after clear().
class Writer {
 public:
  static constexpr std::size_t never = std::numeric_limits<std::size_t>::max();

  // Contiguous arrays of at least `segment_threshold` bytes become segments, the first max_segments of them.
  explicit Writer(std::size_t segment_threshold = never) : threshold_(segment_threshold) {
    if (threshold_ < detail::min_segment) threshold_ = detail::min_segment;
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  ~Writer() { clear(); }

  std::span<const std::byte> body() const { return {storage_.data(), used_}; }
  std::vector<ConstSegment>& segments() { return segments_; }
  bool has_segments() const { return !segments_.empty(); }
  void clear();
  // The body as memory of its own (its size is the body's); the writer is clear afterwards.
  detail::Bytes release_body();

  // Room for `count` more bytes, to be filled by the caller before the next call.
  std::byte* extend(std::size_t count) {
    if (storage_.capacity() - used_ < count) grow(count);
    std::byte* place = storage_.data() + used_;
    used_ += count;
    return place;
  }
  void bytes(const void* data, std::size_t count) {
    if (count != 0) std::memcpy(extend(count), data, count);
  }
  void size(std::uint64_t value) {
    if (value < 255) {
      *extend(1) = static_cast<std::byte>(value);
      return;
    }
    std::byte* place = extend(9);
    *place = std::byte{255};
    std::memcpy(place + 1, &value, sizeof(value));
  }
  // `count` elements of `element_size` bytes each. The memory stays as it is until a segment has left.
  void array(const void* data, std::size_t count, std::size_t element_size, bool may_be_segment);

  // While one lives, arrays stay in the body: where the reader needs them at once (keys), and where user code runs,
  // whose arrays may be gone before they are sent.
  class KeepInBody {
   public:
    explicit KeepInBody(Writer& writer) : writer_(writer) { ++writer_.keep_in_body_; }
    ~KeepInBody() { --writer_.keep_in_body_; }
    KeepInBody(const KeepInBody&) = delete;
    KeepInBody& operator=(const KeepInBody&) = delete;

   private:
    Writer& writer_;
  };

  // A number of eight bytes whose value is the count of the bytes written since, known by `end_sized`.
  std::size_t begin_sized() {
    extend(sizeof(std::uint64_t));
    return used_;
  }
  void end_sized(std::size_t begin) {
    const std::uint64_t size = used_ - begin;
    std::memcpy(storage_.data() + begin - sizeof size, &size, sizeof size);
  }

  // What belongs to a value outside its bytes, and goes back where these are never sent.
  struct Attachment {
    void* to;
    std::uint32_t owner;
    std::uint64_t what;
    std::uint64_t amount;
    void (*give_back)(const Attachment&);  // throws nothing
  };
  void attach(const Attachment& attachment) { attachments_.push_back(attachment); }
  // The receiver has what is attached, from here on.
  void sent() { attachments_.clear(); }
  void give_back_attachments();
  void take_attachments(Writer& from);

  // One level of nesting. Throws UsageError when there are too many.
  class Level {
   public:
    explicit Level(Writer& writer) : writer_(writer) {
      if (writer_.depth_ >= detail::max_depth) detail::throw_too_deep();
      ++writer_.depth_;
    }
    ~Level() { --writer_.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    Writer& writer_;
  };

  // The archive that user code sees, made at its first use.
  template <class Archive>
  Archive& user_archive() {
    if (!user_archive_) user_archive_ = std::make_shared<Archive>(*this);
    return *static_cast<Archive*>(user_archive_.get());
  }

 private:
  void grow(std::size_t count);

  detail::Bytes storage_;
  std::size_t used_ = 0;
  std::size_t threshold_;
  std::vector<ConstSegment> segments_;
  std::vector<Attachment> attachments_;
  std::shared_ptr<void> user_archive_;
  int keep_in_body_ = 0;
  int depth_ = 0;
};

}  // namespace slipway
