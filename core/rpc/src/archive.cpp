// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "slipway/base/error.hpp"
#include "slipway/rpc/reader.hpp"
#include "slipway/rpc/writer.hpp"

namespace slipway {
namespace detail {

namespace {

// A segment larger than this can only be damage.
std::uint64_t physical_memory() {
  static const std::uint64_t bytes = [] {
    const long pages = ::sysconf(_SC_PHYS_PAGES);
    const long page = ::sysconf(_SC_PAGESIZE);
    if (pages <= 0 || page <= 0) return std::numeric_limits<std::uint64_t>::max();
    return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page);
  }();
  return bytes;
}

}  // namespace

void throw_too_deep() {
  throw UsageError(
      "an argument nests more than " + std::to_string(max_depth) +
      " levels of containers and pointers (the receiver would need too much stack); send it as a flat array");
}

void throw_wire_error(const char* problem) {
  throw WireError(std::string(problem) +
                  " (a message was damaged, or the ranks were built from different sources); build all ranks from the "
                  "same sources");
}

void throw_cut_off() { throw_wire_error("a message that ends before its values do"); }

}  // namespace detail

namespace {

constexpr std::size_t smallest_body = 256;
constexpr std::size_t kept_body = std::size_t{1} << 20U;

}  // namespace

void Writer::give_back_attachments() {
  if (attachments_.empty()) return;
  for (const Attachment& each : std::exchange(attachments_, {})) each.give_back(each);
}

void Writer::take_attachments(Writer& from) {
  attachments_.insert(attachments_.end(), from.attachments_.begin(), from.attachments_.end());
  from.attachments_.clear();
}

void Writer::clear() {
  give_back_attachments();
  used_ = 0;
  segments_.clear();
  user_archive_.reset();
  if (storage_.capacity() > kept_body) storage_ = detail::Bytes();
}

detail::Bytes Writer::release_body() {
  detail::Bytes body = std::move(storage_);
  if (body.data() != nullptr) body.set_size(used_);
  clear();
  return body;
}

void Writer::grow(std::size_t count) {
  if (count > std::numeric_limits<std::size_t>::max() / 4 - used_) throw std::bad_alloc();
  detail::Bytes larger(std::max({smallest_body, used_ + count, 2 * storage_.capacity()}));
  if (used_ != 0) std::memcpy(larger.data(), storage_.data(), used_);
  storage_ = std::move(larger);
}

void Writer::array(const void* data, std::size_t count, std::size_t element_size, bool may_be_segment) {
  const std::size_t length = count * element_size;
  const bool is_segment =
      may_be_segment && keep_in_body_ == 0 && length >= threshold_ && segments_.size() < detail::max_segments;
  size(2 * std::uint64_t{count} + (is_segment ? 1 : 0));
  if (!is_segment) {
    bytes(data, length);
    return;
  }
  ConstSegment segment;
  segment.data = static_cast<const std::byte*>(data);
  segment.info.size = length;
  segments_.push_back(segment);
}

Reader::Reader(std::span<const std::byte> body, std::span<const wire::SegmentInfo> announced)
    : rest_(body), announced_(announced.begin(), announced.end()) {
  std::uint64_t left = detail::physical_memory();
  for (const auto& segment : announced_) {
    if (segment.size > left) detail::throw_wire_error("arrays larger than the memory of this host");
    left -= segment.size;
  }
}

void Reader::finish() const {
  if (!rest_.empty()) detail::throw_wire_error("a message with bytes left over");
  if (next_segment_ != announced_.size() + present_.size()) {
    detail::throw_wire_error("a message with an array left over");
  }
}

std::uint64_t Reader::next_segment_size() const {
  if (!announced_.empty()) return next_segment_ < announced_.size() ? announced_[next_segment_].size : 0;
  return next_segment_ < present_.size() ? present_[next_segment_].size() : 0;
}

Reader::ArrayHead Reader::array_head(std::size_t element_size, bool may_be_segment) {
  const std::uint64_t coded = size();
  ArrayHead head;
  head.is_segment = (coded & 1U) != 0;
  const std::uint64_t count = coded / 2;
  const std::uint64_t available = head.is_segment ? next_segment_size() : rest_.size();
  if (count > available / element_size) detail::throw_cut_off();
  head.count = static_cast<std::size_t>(count);
  head.bytes = head.count * element_size;
  if (!head.is_segment) return head;
  if (!may_be_segment || keep_in_body_ != 0 || head.bytes != available || head.bytes < detail::min_segment) {
    detail::throw_wire_error("an array that is not where it should be");
  }
  return head;
}

void Reader::array(const ArrayHead& head, void* target) {
  if (!head.is_segment) {
    bytes(target, head.bytes);
  } else if (!announced_.empty()) {
    destinations_.push_back({static_cast<std::byte*>(target), head.bytes});
    ++next_segment_;
  } else {
    const detail::Bytes segment = adopt();
    std::memcpy(target, segment.data(), head.bytes);
  }
}

}  // namespace slipway
