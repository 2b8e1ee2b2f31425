// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/observe/task_events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <type_traits>
#include <utility>

#include "slipway/base/error.hpp"
#include "slipway/observe/run_directory.hpp"

namespace slipway {

namespace {

constexpr std::string_view magic = "slipway task events 1\n";

struct Block {
  static constexpr std::uint32_t head = 1;
  static constexpr std::uint32_t name = 2;
  static constexpr std::uint32_t thread = 3;
  static constexpr std::uint32_t clock = 4;
  static constexpr std::uint32_t lost = 5;
  static constexpr std::uint32_t events = 6;
};

[[noreturn]] void cannot_write(const std::filesystem::path& file) {
  throw Error(fmt::format("cannot write {}: {}", file.string(), std::strerror(errno)));
}

struct BlockHead {
  std::uint32_t kind = 0;
  std::uint32_t bytes = 0;
};

template <class Number>
requires std::is_arithmetic_v<Number> std::span<const std::byte> bytes_of(const Number& value) {
  return std::as_bytes(std::span(&value, 1));
}
std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

// What is left of a block.
class BlockReader {
 public:
  explicit BlockReader(std::string_view rest) : rest_(rest) {}

  template <class T>
  std::optional<T> next() {
    T value;
    if (rest_.size() < sizeof value) return std::nullopt;
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_.remove_prefix(sizeof value);
    return value;
  }
  std::optional<std::string_view> next(std::size_t size) {
    if (rest_.size() < size) return std::nullopt;
    const std::string_view part = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return part;
  }
  std::string text() const { return std::string(rest_); }

 private:
  std::string_view rest_;
};

void read_block(TaskEvents& all, std::uint32_t kind, BlockReader block, bool& has_clock) {
  switch (kind) {
    case Block::head:
      all.head.rank = block.next<std::uint32_t>().value_or(0);
      all.head.cores = block.next<std::uint32_t>().value_or(1);
      all.head.host = block.text();
      return;
    case Block::name:
      if (const auto number = block.next<std::uint32_t>()) all.names[*number] = block.text();
      return;
    case Block::thread:
      if (const auto number = block.next<std::uint16_t>()) all.threads[*number] = block.text();
      return;
    case Block::clock: {
      const auto own = block.next<std::int64_t>();
      const auto wall = block.next<std::int64_t>();
      if (own && wall && !has_clock) all.wall_offset = *wall - *own;
      has_clock = true;
      return;
    }
    case Block::lost:
      all.lost += block.next<std::uint64_t>().value_or(0);
      return;
    case Block::events:
      while (const auto event = block.next<TaskEvent>()) all.events.push_back(*event);
      return;
    default:
      return;  // of a version to come
  }
}

}  // namespace

TaskEventFile::TaskEventFile(const std::filesystem::path& file, const TaskEventsHead& head)
    : path_(file), file_(std::fopen(file.c_str(), "wb")) {
  if (!file_) cannot_write(path_);
  if (std::fwrite(magic.data(), 1, magic.size(), file_.get()) != magic.size()) cannot_write(path_);
  bytes_ = magic.size();
  const std::array parts{bytes_of(head.rank), bytes_of(head.cores), bytes_of(std::string_view(head.host))};
  add_block(Block::head, parts);
}

void TaskEventFile::add_block(std::uint32_t kind, std::span<const std::span<const std::byte>> parts) {
  BlockHead begin{.kind = kind};
  for (const auto& part : parts) begin.bytes += static_cast<std::uint32_t>(part.size());
  bool good = std::fwrite(&begin, sizeof begin, 1, file_.get()) == 1;
  for (const auto& part : parts) {
    good = good && std::fwrite(part.data(), 1, part.size(), file_.get()) == part.size();
  }
  if (!good) cannot_write(path_);
  bytes_ += sizeof begin + begin.bytes;
}

void TaskEventFile::add_name(std::uint32_t number, std::string_view text) {
  const std::array parts{bytes_of(number), bytes_of(text)};
  add_block(Block::name, parts);
}

void TaskEventFile::add_thread(std::uint16_t number, std::string_view text) {
  const std::array parts{bytes_of(number), bytes_of(text)};
  add_block(Block::thread, parts);
}

void TaskEventFile::add_clock(std::int64_t own, std::int64_t wall) {
  const std::array parts{bytes_of(own), bytes_of(wall)};
  add_block(Block::clock, parts);
}

void TaskEventFile::add_lost(std::uint64_t events) {
  const std::array parts{bytes_of(events)};
  add_block(Block::lost, parts);
}

void TaskEventFile::add(std::span<const TaskEvent> events) {
  constexpr std::size_t most = 1 << 20;  // the size of a block has 32 bits
  for (; !events.empty(); events = events.subspan(std::min(most, events.size()))) {
    const std::array parts{std::as_bytes(events.first(std::min(most, events.size())))};
    add_block(Block::events, parts);
  }
}

void TaskEventFile::flush() {
  if (std::fflush(file_.get()) != 0) cannot_write(path_);
}

std::optional<TaskEvents> read_task_events(const std::filesystem::path& file) {
  const auto content = read_file(file);
  if (!content) throw Error("cannot read " + file.string());
  if (!magic.starts_with(content->substr(0, magic.size()))) {
    throw Error(file.string() + " holds no events of tasks that this version of slipway can read");
  }
  BlockReader rest(*content);
  static_cast<void>(rest.next(magic.size()));
  TaskEvents all;
  bool has_head = false;
  bool has_clock = false;
  while (const auto block = rest.next<BlockHead>()) {
    const auto content_of_block = rest.next(block->bytes);
    if (!content_of_block) break;  // it is being written
    read_block(all, block->kind, BlockReader(*content_of_block), has_clock);
    has_head = has_head || block->kind == Block::head;
  }
  return has_head ? std::optional(std::move(all)) : std::nullopt;
}

}  // namespace slipway
