// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/rpc/raw.hpp"

#include <gtest/gtest.h>

#include <any>
#include <functional>
#include <span>

#include "rpc/wire_types.hpp"

namespace slipway {
namespace {

using namespace wire_types;

struct Bits {
  int low : 3;
  int high : 5;
};
struct Empty {};
struct Constant {
  const int value = 3;
};
struct Holder {
  std::any anything;
  int number = 0;
};
struct HasHandle {
  struct Handle {
    using slipway_not_raw = void;
    std::uint32_t node = 0;
  } handle;
};
struct Serialized {
  int file_descriptor = -1;
  template <class Archive>
  void serialize(Archive&) {}
};
union Union {
  int number;
  float real;
};
struct Many {
  int a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z;
};

TEST(Fields, CountsFieldsAndNotElements) {
  using detail::count_fields;
  EXPECT_EQ(count_fields<Particle>(), 4U);
  EXPECT_EQ(count_fields<Padded>(), 3U);
  EXPECT_EQ(count_fields<Empty>(), 0U);
  EXPECT_EQ(count_fields<Many>(), 26U);
  EXPECT_EQ(count_fields<Batch>(), 3U);
  EXPECT_EQ(count_fields<Tree>(), 3U);
  static_assert(std::is_same_v<detail::FieldTypes<Bits>, detail::TypeList<int, int>>);
  static_assert(detail::Walkable<Holder>);
  static_assert(!detail::Walkable<WithBase> && !detail::Walkable<Union> && !detail::Walkable<WithReference> &&
                !detail::Walkable<Account> && !detail::Walkable<int>);
}

TEST(Raw, Contract6PlainBytesOfPlainFields) {
  static_assert(is_raw<int> && is_raw<bool> && is_raw<double> && is_raw<Color> && is_raw<Old> && is_raw<std::byte>);
  static_assert(is_raw<Padded> && is_raw<Particle> && is_raw<Painted> && is_raw<Many> && is_raw<Bits> && is_raw<Empty>);
  static_assert(is_raw<int[3][2]> && is_raw<std::array<Particle, 3>> && is_raw<std::complex<float>>);
  static_assert(is_raw<std::chrono::milliseconds> && is_raw<std::chrono::system_clock::time_point>);
  static_assert(is_raw<NodeId> && is_raw<Quaternion> && is_raw<Constant>);
}

TEST(Raw, Contract6RefusesPointersViewsHandlesAndStrangers) {
  static_assert(!is_raw<int*> && !is_raw<void (*)()> && !is_raw<int Padded::*> && !is_raw<std::nullptr_t>);
  static_assert(!is_raw<WithPointer> && !is_raw<WithView> && !is_raw<WithReference> && !is_raw<Union>);
  static_assert(!is_raw<std::string_view> && !is_raw<std::span<int>> && !is_raw<std::reference_wrapper<int>>);
  static_assert(!is_raw<std::array<int*, 2>> && !is_raw<int* [2]> && !is_raw<std::optional<int>>);
  static_assert(!is_raw<HasHandle> && !is_raw<Serialized> && !is_raw<WithBase> && !is_raw<Point>);
  static_assert(!is_raw<std::string> && !is_raw<Settings> && !is_raw<std::vector<int>>);
}

template <class T>
bool holds(std::initializer_list<unsigned char> first_bytes) {
  alignas(T) unsigned char memory[sizeof(T)] = {};
  std::copy(first_bytes.begin(), first_bytes.end(), memory);
  T object;
  std::memcpy(static_cast<void*>(&object), memory, sizeof(T));
  return detail::holds_value(object);
}

TEST(Raw, Contract6BoolsAndDeclaredEnumerationsAreChecked) {
  EXPECT_TRUE(holds<bool>({1}));
  EXPECT_FALSE(holds<bool>({2}));
  EXPECT_TRUE(holds<Color>({2}));
  EXPECT_FALSE(holds<Color>({3}));
  EXPECT_TRUE(holds<Free>({77}));  // every number of its type is a value of it
  EXPECT_FALSE(holds<Painted>({9}));
  EXPECT_TRUE((holds<std::array<bool, 3>>({0, 1, 0})));
  EXPECT_FALSE((holds<std::array<bool, 3>>({0, 1, 7})));
  EXPECT_FALSE(holds<bool[2]>({0, 7}));
  EXPECT_TRUE(detail::is_checked<Padded> && !detail::is_checked<Particle> && detail::is_checked<Painted>);
}

TEST(Raw, PaddingIsZeroOnTheWire) {
  static_assert(detail::has_padding<Padded> && !detail::has_padding<Particle> && !detail::has_padding<Bits>);
  alignas(Padded) unsigned char memory[sizeof(Padded)];
  std::memset(memory, 0xee, sizeof(memory));
  auto* padded = new (memory) Padded{'x', 1.5, true};
  std::array<std::byte, sizeof(Padded)> wire;
  encode_raw(wire.data(), *padded);
  for (const std::size_t i : {1U, 2U, 3U, 4U, 5U, 6U, 7U, 17U, 23U}) EXPECT_EQ(wire[i], std::byte{0}) << i;
  Padded back;
  decode_raw(wire, back);
  EXPECT_EQ(back, *padded);
}

TEST(Raw, Contract6AListOfRawValuesIsExactlyAsLongAsItsTypes) {
  static_assert(AllRaw<int, Padded, Quaternion> && !AllRaw<int, std::string> && AllRaw<>);
  constexpr std::size_t size = raw_bytes<int, Padded, Quaternion>;
  std::array<std::byte, size + 1> wire{};
  encode_raw(wire.data(), 7, Padded{'z', 2, true}, Quaternion(3));
  int number = 0;
  Padded padded;
  Quaternion quaternion;
  const std::span<const std::byte> bytes(wire);
  decode_raw(bytes.first(size), number, padded, quaternion);
  EXPECT_EQ(number, 7);
  EXPECT_EQ(padded, (Padded{'z', 2, true}));
  EXPECT_EQ(quaternion, Quaternion(3));
  EXPECT_THROW(decode_raw(bytes.first(size - 1), number, padded, quaternion), WireError);
  EXPECT_THROW(decode_raw(bytes, number, padded, quaternion), WireError);
  wire[4 + offsetof(Padded, flag)] = std::byte{2};
  EXPECT_THROW(decode_raw(bytes.first(size), number, padded, quaternion), WireError);
}

struct Wide {
  char letter;
  double number;
  int flag;
};
struct Swapped {
  double number;
  char letter;
  bool flag;
};

TEST(Raw, Contract7LayoutsTellTypesApart) {
  EXPECT_EQ(layout_of<Padded>().size, sizeof(Padded));
  EXPECT_EQ(layout_of<Padded>().alignment, alignof(Padded));
  EXPECT_EQ(layout_of<const Padded&>(), layout_of<Padded>());
  EXPECT_NE(layout_of<Padded>(), layout_of<Wide>());
  EXPECT_NE(layout_of<Padded>(), layout_of<Swapped>());
  EXPECT_NE(layout_of<int>(), layout_of<float>());
  EXPECT_NE(layout_of<int>(), layout_of<unsigned>());
  EXPECT_NE(layout_of<int[2]>(), layout_of<int[3]>());
  EXPECT_NE(layout_of<std::vector<Padded>>(), layout_of<std::vector<Wide>>());
  EXPECT_EQ(layout_of<std::vector<Padded>>().size, 0U);
}

}  // namespace
}  // namespace slipway
