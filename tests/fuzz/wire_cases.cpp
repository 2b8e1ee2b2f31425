// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "fuzz/wire_cases.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>

#include "rpc/wire_types.hpp"
#include "slipway/rpc/wire.hpp"

#if __has_include(<eigen3/Eigen/Core>)
#include "slipway/rpc/eigen.hpp"
#define SLIPWAY_FUZZ_EIGEN
#endif

namespace slipway::fuzz {
namespace {

using namespace wire_types;

constexpr std::size_t segment_threshold = 64;

// ---- values

std::string text(unsigned v) { return std::string(v % 7 * 30, static_cast<char>('a' + v % 26)); }
std::vector<double> numbers(unsigned v) { return std::vector<double>(v % 20, v); }

template <class T>
T make(unsigned v);

template <>
std::tuple<> make(unsigned) {
  return {};
}
using Scalars = std::tuple<int, bool, Padded, Painted, std::complex<float>, std::bitset<19>, Quaternion>;
template <>
Scalars make(unsigned v) {
  return {static_cast<int>(v), v % 2 == 0,   Padded{'x', 1, true}, Painted{Color::blue, Free::many, old_one}, {1, 2},
          std::bitset<19>(v),  Quaternion(1)};
}
template <>
std::string make(unsigned v) {
  return text(v);
}
template <>
std::vector<double> make(unsigned v) {
  return numbers(v);
}
template <>
std::vector<bool> make(unsigned v) {
  return std::vector<bool>(v % 40, true);
}
template <>
std::vector<Padded> make(unsigned v) {
  return std::vector<Padded>(v % 9, Padded{'y', 2, true});
}
template <>
std::vector<Color> make(unsigned v) {
  return std::vector<Color>(v % 100, Color::green);
}
template <>
Settings make(unsigned v) {
  return {text(v), numbers(v), v % 2 == 0 ? std::optional<Particle>(Particle{}) : std::nullopt, true};
}
template <>
std::map<std::string, Settings> make(unsigned v) {
  return {{text(v), make<Settings>(v)}, {"b" + text(v + 1), make<Settings>(v + 1)}};
}
template <>
Batch make(unsigned v) {
  Batch batch{{std::vector<float>(v % 50, 1.0F), {}, std::vector<float>(20)}, {{"k", make<Settings>(v)}}, {}};
  batch.labels = Buffer<std::int32_t>::copy_of(std::vector<std::int32_t>(v % 40, 7));
  return batch;
}
template <>
Tree make(unsigned v) {
  Tree tree{static_cast<int>(v), {}, nullptr};
  tree.children.resize(v % 4);
  for (auto& child : tree.children) child.next = std::make_unique<Tree>();
  return tree;
}
template <>
std::vector<Account> make(unsigned v) {
  return std::vector<Account>(v % 4, Account(static_cast<int>(v), text(v)));
}
template <>
std::vector<Versioned> make(unsigned v) {
  return std::vector<Versioned>(v % 4, Versioned(static_cast<int>(v), text(v)));
}
template <>
Split make(unsigned v) {
  Split split;
  split.values.assign(v % 5, text(v));
  return split;
}
using Choice = std::variant<int, std::string, std::vector<double>, Point, Percent>;
template <>
Choice make(unsigned v) {
  switch (v % 5) {
    case 0:
      return static_cast<int>(v);
    case 1:
      return text(v);
    case 2:
      return numbers(v);
    case 3:
      return Point(1, 2);
    default:
      return Percent(3);
  }
}
using Nested = std::tuple<std::deque<std::string>, std::list<std::vector<int>>, std::array<std::string, 2>>;
template <>
Nested make(unsigned v) {
  return {{text(v), text(v + 1)}, {std::vector<int>(v % 30)}, {text(v), "z"}};
}
using Tables = std::tuple<std::set<std::string>, std::unordered_map<int, std::string>, std::multimap<char, double>>;
template <>
Tables make(unsigned v) {
  return {{text(v), "q"}, {{1, text(v)}, {2, "b"}}, {{'a', 1.0}, {'a', 2.0}}};
}
using Owners = std::tuple<std::unique_ptr<Settings>, std::shared_ptr<const std::vector<double>>, std::filesystem::path>;
template <>
Owners make(unsigned v) {
  return {v % 2 == 0 ? std::make_unique<Settings>() : nullptr, std::make_shared<const std::vector<double>>(numbers(v)),
          "/a/b"};
}
template <>
Buffer<Particle> make(unsigned v) {
  return Buffer<Particle>::copy_of(std::vector<Particle>(v % 10));
}
#ifdef SLIPWAY_FUZZ_EIGEN
using Matrices =
    std::tuple<Eigen::MatrixXd, Eigen::Matrix<float, 3, 2>, Eigen::Matrix<int, Eigen::Dynamic, 1, 0, 8, 1>>;
template <>
Matrices make(unsigned v) {
  return {Eigen::MatrixXd::Ones(v % 5, v % 7), Eigen::Matrix<float, 3, 2>::Ones(), Eigen::VectorXi::Ones(v % 9)};
}
#endif

// ---- inputs

void append(std::vector<std::byte>& to, const void* data, std::size_t size) {
  const auto* bytes = static_cast<const std::byte*>(data);
  to.insert(to.end(), bytes, bytes + size);
}

template <class T>
std::vector<std::byte> valid(std::size_t type, std::size_t mode, unsigned variation) {
  const T value = make<T>(variation);
  Writer writer(mode == 1 || mode == 2 ? segment_threshold : Writer::never);
  encode(writer, value);
  std::vector<std::byte> input;
  for (const std::size_t byte : {type, mode, writer.segments().size()}) input.push_back(static_cast<std::byte>(byte));
  for (const auto& segment : writer.segments()) {
    const auto size = static_cast<std::uint32_t>(segment.info.size);
    append(input, &size, sizeof(size));
  }
  append(input, writer.body().data(), writer.body().size());
  return input;
}

// A value that was accepted must be a good one: it can be sent on, and read again as the same number of bytes.
template <class T>
void use(const T& value) {
  Writer writer;
  encode(writer, value);
  Reader reader(writer.body());
  T again{};
  decode(reader, again);
  reader.finish();
  Writer second;
  encode(second, again);
  if (second.body().size() != writer.body().size()) throw std::logic_error("an accepted value does not survive");
}

template <class T>
void read_whole(Reader& reader) {
  T value{};
  decode(reader, value);
  reader.finish();
  const T moved = std::move(value);
  for (const auto& destination : reader.destinations()) std::memset(destination.data, 1, destination.size);
  use(moved);
}

struct Parts {
  std::size_t mode = 0;
  std::vector<wire::SegmentInfo> segments;
  std::span<const std::byte> body;
};

template <class T>
void read_as(const Parts& parts) {
  if (parts.mode == 1) {
    Reader reader(parts.body, parts.segments);
    read_whole<T>(reader);
  } else if (parts.mode == 2) {
    std::vector<detail::Bytes> present;
    for (const auto& segment : parts.segments) {
      detail::Bytes& bytes = present.emplace_back(segment.size % (1U << 16U));
      if (bytes.size() != 0) std::memset(bytes.data(), 1, bytes.size());
    }
    Reader reader(parts.body, std::move(present));
    read_whole<T>(reader);
  } else {
    Reader reader(parts.body);
    read_whole<T>(reader);
  }
}

// Frames must lie inside the input, one behind the other.
bool read_frames(std::span<const std::byte> bytes) {
  wire::FrameCursor cursor(bytes);
  std::size_t used = 0;
  while (cursor.next()) {
    if (cursor.frame().data() != bytes.data() + used) throw std::logic_error("a frame out of place");
    used += cursor.frame().size();
    wire::RequestHeader request;
    if (read(cursor.payload(), request) && cursor.payload().size() < sizeof(request)) {
      throw std::logic_error("a header out of too few bytes");
    }
  }
  if (used > bytes.size() || cursor.intact() != (used == bytes.size())) throw std::logic_error("frames past the end");
  return cursor.intact();
}

struct Case {
  std::vector<std::byte> (*valid)(std::size_t, std::size_t, unsigned);
  void (*read)(const Parts&);
};

template <class... Ts>
std::vector<Case> cases_of() {
  return {Case{&valid<Ts>, &read_as<Ts>}...};
}

const std::vector<Case>& cases() {
  static const auto all =
      cases_of<std::tuple<>, Scalars, std::string, std::vector<double>, std::vector<bool>, std::vector<Padded>,
               std::vector<Color>, Settings, std::map<std::string, Settings>, Batch, Tree, std::vector<Account>,
               std::vector<Versioned>, Split, Choice, Nested, Tables, Owners, Buffer<Particle>
#ifdef SLIPWAY_FUZZ_EIGEN
               ,
               Matrices
#endif
               >();
  return all;
}

// The first two bytes are taken modulo what there is; a size with its highest bit set stands for an absurd one.
bool split(std::span<const std::byte> input, std::size_t& type, Parts& parts) {
  if (input.size() < 3) return false;
  type = std::to_integer<std::size_t>(input[0]) % case_count();
  parts.mode = std::to_integer<std::size_t>(input[1]) % 4;
  std::size_t segments = std::to_integer<std::size_t>(input[2]);
  input = input.subspan(3);
  for (; segments > 0 && input.size() >= 4; --segments) {
    std::uint32_t size = 0;
    std::memcpy(&size, input.data(), sizeof(size));
    input = input.subspan(4);
    wire::SegmentInfo info;
    info.size = (size >> 31U) != 0 ? std::uint64_t{size} << 24U : size % (1U << 16U);
    parts.segments.push_back(info);
  }
  parts.body = input;
  return true;
}

}  // namespace

std::size_t case_count() { return cases().size(); }

std::vector<std::byte> valid_input(std::size_t type, std::size_t mode, unsigned variation) {
  return cases()[type].valid(type, mode, variation);
}

Outcome read_input(std::span<const std::byte> input) {
  Outcome outcome;
  std::size_t type = 0;
  Parts parts;
  if (!split(input, type, parts)) return outcome;
  for (const auto& segment : parts.segments) outcome.announced += segment.size % (1U << 16U);
  try {
    if (parts.mode == 3) {
      outcome.accepted = read_frames(parts.body);
    } else {
      cases()[type].read(parts);
      outcome.accepted = true;
    }
  } catch (const WireError&) {
    outcome.accepted = false;
  }
  return outcome;
}

}  // namespace slipway::fuzz
