// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/rpc/archive.hpp"

#include <gtest/gtest.h>

#include <any>
#include <functional>
#include <span>

#include "rpc/wire_types.hpp"

namespace slipway {
namespace {

using namespace wire_types;

template <class T>
T round_trip(const T& value) {
  Writer writer;
  encode(writer, value);
  EXPECT_TRUE(writer.segments().empty());
  Reader reader(writer.body());
  T back{};
  decode(reader, back);
  reader.finish();
  return back;
}

template <class T>
void expect_same(const T& value) {
  EXPECT_TRUE(round_trip(value) == value) << testing::PrintToString(value);
}

TEST(Archive, Contract6RawTypes) {
  expect_same(5);
  expect_same(true);
  expect_same(Color::blue);
  expect_same(Padded{'x', 2, true});
  expect_same(Particle{{1, 2, 3}, {4, 5, 6}, {7, 8}, "name"});
  expect_same(Quaternion(2));
  expect_same(std::complex<double>(1, 2));
  expect_same(std::chrono::nanoseconds(3));
  expect_same(std::monostate{});
}

TEST(Archive, Contract6StandardContainers) {
  expect_same(std::string(1000, 'x'));
  expect_same(std::u16string(u"wide"));
  expect_same(std::vector<int>{1, 2, 3});
  expect_same(std::vector<std::string>{"a", "", std::string(300, 'b')});
  expect_same(std::vector<Padded>(3));
  expect_same(std::array<std::string, 2>{"a", "b"});
  expect_same(std::deque<int>{1, 2});
  expect_same(std::list<std::string>{"q"});
  expect_same(std::set<std::string>{"a", "b"});
  expect_same(std::map<std::string, std::vector<int>>{{"a", {1}}, {"b", {}}});
  expect_same(std::multimap<int, int>{{1, 2}, {1, 3}});
  expect_same(std::multiset<int>{1, 1});
  expect_same(std::unordered_map<int, std::string>{{1, "a"}, {2, "b"}});
  expect_same(std::unordered_set<std::string>{"k", "l"});
  expect_same(std::unordered_multimap<int, int>{{1, 2}, {1, 3}});
  for (std::size_t size = 0; size < 20; ++size) {
    std::vector<bool> bits(size);
    for (std::size_t i = 0; i < size; i += 3) bits[i] = true;
    expect_same(bits);
  }
}

TEST(Archive, Contract6StandardValues) {
  expect_same(std::pair<int, std::string>(1, "b"));
  expect_same(std::tuple<int, std::string, std::vector<double>>(1, "b", {2}));
  expect_same(std::tuple<>());
  expect_same(std::optional<std::string>("x"));
  expect_same(std::optional<std::string>());
  expect_same(std::variant<int, std::string>("x"));
  expect_same(std::variant<std::monostate, int>());
  expect_same(std::bitset<19>(12345));
  expect_same(std::filesystem::path("/a/b"));
  EXPECT_EQ(*round_trip(std::make_unique<int>(4)), 4);
  EXPECT_EQ(round_trip(std::unique_ptr<int>()), nullptr);
  EXPECT_EQ(*round_trip(std::shared_ptr<const std::vector<int>>(new std::vector<int>{4, 5})), (std::vector<int>{4, 5}));
}

TEST(Archive, Contract6PlainStructsNeedNothing) {
  expect_same(Settings{"name", {1, 2}, Particle{}, false});
  expect_same(std::map<std::string, Settings>{{"a", {}}, {"b", {"c", {3}, {}, true}}});
  Tree tree{1, {}, nullptr};
  tree.children.resize(2);
  tree.children[1].value = 3;
  tree.next = std::make_unique<Tree>(Tree{4, {}, nullptr});
  const Tree back = round_trip(tree);
  EXPECT_EQ(back.children.at(1).value, 3);
  EXPECT_EQ(back.next->value, 4);
}

TEST(Archive, Contract6CerealClasses) {
  expect_same(Account(3, "owner"));
  expect_same(std::vector<Account>{{1, "a"}, {2, "b"}});
  expect_same(std::map<int, Account>{{1, {1, "a"}}});
  Split split;
  split.values = {"a", "bb"};
  expect_same(split);
  expect_same(Point(1, 2));
  expect_same(std::optional<Point>(Point(1, 2)));
  expect_same(Percent(0.5));
  Versioned versioned(4, "owner");
  versioned.extra = {7, 8, 9};
  const auto back = round_trip(std::vector<Versioned>{versioned, versioned});
  EXPECT_EQ(back[1], static_cast<const Account&>(versioned));
  EXPECT_EQ(back[1].extra.sum(), 24);
}

TEST(Archive, Contract6WhatMayBeSent) {
  static_assert(Transferable<int> && Transferable<Settings> && Transferable<Tree> && Transferable<Batch>);
  static_assert(Transferable<Account> && Transferable<Versioned> && Transferable<Split> && Transferable<Point>);
  static_assert(Transferable<Buffer<float>> && Transferable<std::vector<Buffer<float>>>);
  static_assert(Transferable<std::shared_ptr<const Settings>> && Transferable<std::unique_ptr<Settings>>);
  static_assert(!Transferable<int*> && !Transferable<int&> && !Transferable<void> && !Transferable<const int>);
  static_assert(!Transferable<std::string_view> && !Transferable<std::span<int>> && !Transferable<std::any>);
  static_assert(!Transferable<std::vector<int*>> && !Transferable<std::map<int, std::string_view>>);
  static_assert(!Transferable<std::unique_ptr<Polymorphic>> && !Transferable<std::shared_ptr<int>>);
  static_assert(!Transferable<WithPointer> && !Transferable<WithView> && !Transferable<std::function<void()>>);
  static_assert(!Transferable<WithBase> && !Transferable<std::optional<WithPointer>> && !Transferable<WithReference>);
  static_assert(!Transferable<std::tuple<int, int*>> && !Transferable<std::variant<int, WithView>>);
}

struct Backwards {
  bool operator()(int left, int right) const { return left > right; }
};

TEST(Archive, Contract5OnlyLibraryCodeDecodesEarly) {
  static_assert(library_decodable<int> && library_decodable<std::string> && library_decodable<Buffer<Particle>>);
  static_assert(library_decodable<std::map<std::string, std::vector<double>>> && library_decodable<Padded>);
  static_assert(library_decodable<std::vector<std::optional<std::variant<int, std::string>>>>);
  static_assert(library_decodable<Tree>);
  static_assert(!library_decodable<Account> && !library_decodable<std::vector<Account>>);
  static_assert(!library_decodable<std::map<int, Point>> && !library_decodable<std::set<Padded>>);
  static_assert(!library_decodable<std::set<int, Backwards>> && library_decodable<std::set<int, std::greater<>>>);
}

}  // namespace
}  // namespace slipway
