// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/rpc/edges.hpp"

#include <gmock/gmock.h>

#include <array>
#include <cereal/types/base_class.hpp>
#include <cereal/types/vector.hpp>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

namespace slipway {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// The shape of a Handle.
struct Name {
  struct slipway_handle_tag {};
  using slipway_not_raw = void;
  std::uint32_t node = 0;
  template <class Fn>
  void visit_nodes(Fn&& fn) const {
    fn(NodeId(node), std::uint64_t{1});
  }
};

// The shape of a Group: visits all its members.
struct Names {
  struct slipway_handle_tag {};
  std::vector<std::uint32_t> nodes;
  template <class Fn>
  void visit_nodes(Fn&& fn) const {
    for (const auto node : nodes) fn(NodeId(node), std::uint64_t{1});
  }
};

struct Config {
  int number = 0;
  Name single;
  Name pair[2];
  std::vector<Name> list;
  std::unique_ptr<Name> owned;
};

class Private {
 public:
  Private() = default;
  explicit Private(std::uint32_t node) : name_{node} {}

 private:
  friend class cereal::access;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(number_), CEREAL_NVP(name_), text_, data_);
  }
  int number_ = 0;
  Name name_;
  std::string text_ = "text";
  std::vector<double> data_{1, 2};
};

class Derived : public Private {
 public:
  Derived(std::uint32_t first, std::uint32_t second) : Private(first), more_{{second}} {}
  template <class Archive>
  void serialize(Archive& archive) {
    archive(cereal::base_class<Private>(this), more_);
  }

 private:
  std::vector<Name> more_;
};

class Split {
 public:
  explicit Split(std::uint32_t node) : name_{node} {}
  template <class Archive>
  void save(Archive& archive) const {
    archive(name_);
  }

 private:
  Name name_;
};

class Opaque {
 public:
  explicit Opaque(std::uint32_t node) : name_{node} {}
  std::uint32_t node() const { return name_.node; }

 private:
  Name name_;
};

template <class T>
std::vector<std::uint32_t> edges_of(const T& value) {
  std::vector<std::uint32_t> found;
  for_each_handle(value, [&found](NodeId node, std::uint64_t) { found.push_back(node.value()); });
  return found;
}

TEST(Edges, HandlesThemselvesAndGroups) {
  EXPECT_THAT(edges_of(Name{4}), ElementsAre(4));
  EXPECT_THAT(edges_of(Names{{1, 2, 3}}), ElementsAre(1, 2, 3));
  EXPECT_THAT(edges_of(std::tuple(1, Name{2}, Names{{3, 4}}, "text")), ElementsAre(2, 3, 4));
}

TEST(Edges, InsideContainers) {
  EXPECT_THAT(edges_of(std::vector<Name>{{1}, {2}}), ElementsAre(1, 2));
  EXPECT_THAT(edges_of(std::map<int, Name>{{7, {1}}, {8, {2}}}), ElementsAre(1, 2));
  EXPECT_THAT(edges_of(std::optional<Name>(Name{5})), ElementsAre(5));
  EXPECT_THAT(edges_of(std::optional<Name>()), IsEmpty());
  EXPECT_THAT(edges_of(std::array<std::pair<Name, int>, 2>{{{{1}, 0}, {{2}, 0}}}), ElementsAre(1, 2));
  EXPECT_THAT(edges_of(std::variant<int, Name>(Name{3})), ElementsAre(3));
  EXPECT_THAT(edges_of(std::variant<int, Name>(3)), IsEmpty());
  EXPECT_THAT(edges_of(std::make_shared<const std::deque<Names>>(1, Names{{6, 7}})), ElementsAre(6, 7));
  EXPECT_THAT(edges_of(std::unique_ptr<Name>()), IsEmpty());
  EXPECT_THAT(edges_of(std::vector<std::vector<std::optional<Name>>>{{Name{1}}, {std::nullopt, Name{2}}}),
              ElementsAre(1, 2));
}

TEST(Edges, InsideAggregates) {
  Config config{1, {2}, {{3}, {4}}, {{5}}, std::make_unique<Name>(Name{6})};
  EXPECT_THAT(edges_of(config), ElementsAre(2, 3, 4, 5, 6));
}

TEST(Edges, InsideClassesWithSerialize) {
  EXPECT_THAT(edges_of(Private(9)), ElementsAre(9));
  EXPECT_THAT(edges_of(Derived(1, 2)), ElementsAre(1, 2));
  EXPECT_THAT(edges_of(Split(3)), ElementsAre(3));
  EXPECT_THAT(edges_of(std::vector<Private>{Private(1), Private(2)}), ElementsAre(1, 2));
}

TEST(Edges, NothingToSee) {
  EXPECT_THAT(edges_of(std::tuple(1, 2.0, std::string("x"), std::vector<bool>{true}, std::set<int>{1})), IsEmpty());
  EXPECT_THAT(edges_of(Opaque(3)), IsEmpty());
  EXPECT_THAT(edges_of([name = Name{3}] { return name.node; }), IsEmpty());
}

}  // namespace
}  // namespace slipway
