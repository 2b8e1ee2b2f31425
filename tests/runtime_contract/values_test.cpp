// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
// Contract 5: any size, and what is copied on the way. Contract 6: what a value may be.
#include <gmock/gmock.h>

#if __has_include(<Eigen/Core>) || __has_include(<eigen3/Eigen/Core>)
#define SLIPWAY_TEST_EIGEN 1
#include "slipway/rpc/eigen.hpp"
#endif

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <stdexcept>

#include "everywhere.hpp"
#include "rpc/wire_types.hpp"
#include "runtime_contract/counted.hpp"

namespace slipway::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The sizes at which a call takes another way: empty, around a small frame with and without headers, around the size at
// which arrays leave the message, and large.
std::vector<std::size_t> telling_sizes() {
  std::vector<std::size_t> sizes{0, 1, 63, 64, 65, 1 << 20, 9 << 20};
  for (const std::size_t around : {1024, 15'000, 16 * 1024}) {
    for (const int offset : {-120, -72, -57, -56, -48, -17, -16, -9, -8, -1, 0, 1, 8, 100}) {
      sizes.push_back(around + static_cast<std::size_t>(offset));
    }
  }
  return sizes;
}

template <class Element>
std::vector<Element> pattern(std::size_t count) {
  std::vector<Element> elements(count);
  for (std::size_t i = 0; i < count; ++i) elements[i] = static_cast<Element>(i * 2654435761U >> 7);
  return elements;
}

std::string pattern_text(std::size_t count) {
  const auto bytes = pattern<unsigned char>(count);
  return {bytes.begin(), bytes.end()};
}

using Shared = std::shared_ptr<const std::vector<std::uint8_t>>;

struct Mirror {
  std::vector<std::uint8_t> bytes(std::vector<std::uint8_t> value) { return value; }
  std::string text(const std::string& value) { return value; }
  Buffer<std::uint8_t> buffer(Buffer<std::uint8_t> value) { return value; }
  Shared shared(const Shared& value) { return value; }
  wire_types::Account account(const wire_types::Account& value) { return value; }
  std::vector<std::vector<std::uint8_t>> rows(std::vector<std::vector<std::uint8_t>> value) { return value; }
  std::size_t total(const std::vector<std::uint8_t>& first, std::string second, const std::vector<double>& third) {
    return first.size() + second.size() + third.size();
  }
};

struct OneMirror {
  explicit OneMirror(const Conditions& setup) : mirror(program.with(on_rank(other(setup))).node<Mirror>("mirror")) {}
  Program program{"values"};
  Handle<Mirror> mirror;
};

TEST(Values, Contract5_AnySizeComesBackAsItWas) {
  everywhere(
      [](const Conditions& setup) {
        OneMirror p(setup);
        const auto result = testing::run(p.program, setup, [&](Running&) {
          for (const std::size_t size : telling_sizes()) {
            SCOPED_TRACE("size " + std::to_string(size));
            const auto bytes = pattern<std::uint8_t>(size);
            EXPECT_TRUE(p.mirror.get<&Mirror::bytes>(bytes) == bytes);
            EXPECT_TRUE(p.mirror.call<&Mirror::bytes>(bytes).get() == bytes);
            const auto buffer = p.mirror.get<&Mirror::buffer>(Buffer<std::uint8_t>::copy_of(bytes));
            EXPECT_TRUE(std::equal(buffer.begin(), buffer.end(), bytes.begin(), bytes.end()));
            EXPECT_TRUE(*p.mirror.get<&Mirror::shared>(std::make_shared<const std::vector<std::uint8_t>>(bytes)) ==
                        bytes);
            const std::string text = pattern_text(size);
            EXPECT_TRUE(p.mirror.call<&Mirror::text>(text).get() == text);
            const wire_types::Account account(7, text);  // its own serialize: never apart from the message
            EXPECT_TRUE(p.mirror.get<&Mirror::account>(account) == account);
            if (::testing::Test::HasFailure()) return;
          }
        });
        EXPECT_EQ(result.status, 0);
      },
      4);
}

TEST(Values, Contract5_ManyArraysInOneMessage) {
  everywhere(
      [](const Conditions& setup) {
        OneMirror p(setup);
        testing::run(p.program, setup, [&](Running&) {
          for (const std::size_t count : {3, 63, 64, 65, 200}) {  // more than there are segments
            for (const std::size_t size : {10, 2'000, 20'000}) {
              const std::vector<std::vector<std::uint8_t>> rows(count, pattern<std::uint8_t>(size));
              EXPECT_TRUE(p.mirror.get<&Mirror::rows>(rows) == rows) << count << " rows of " << size;
            }
          }
          EXPECT_EQ(p.mirror.get<&Mirror::total>(pattern<std::uint8_t>(70'000), std::string(15'000, 'x'),
                                                 std::vector<double>(3, 1.0)),
                    85'003U);
        });
      },
      4);
}

#ifdef SLIPWAY_TEST_EIGEN
struct Algebra {
  Eigen::MatrixXd transposed(const Eigen::MatrixXd& matrix) { return matrix.transpose(); }
  Eigen::Vector3f scaled(Eigen::Vector3f vector, float factor) { return factor * vector; }
};

TEST(Values, Contract5_MatricesTravel) {
  everywhere(
      [](const Conditions& setup) {
        Program program("algebra");
        auto algebra = program.with(on_rank(other(setup))).node<Algebra>("algebra");
        testing::run(program, setup, [&](Running&) {
          for (const Eigen::Index rows : {0, 1, 20, 50, 700}) {
            const Eigen::MatrixXd matrix = Eigen::MatrixXd::Random(rows, rows + 3);
            EXPECT_TRUE(algebra.get<&Algebra::transposed>(matrix) == matrix.transpose());
            EXPECT_TRUE(algebra.call<&Algebra::transposed>(Eigen::MatrixXd(matrix)).get() == matrix.transpose());
          }
          EXPECT_EQ(algebra.get<&Algebra::scaled>(Eigen::Vector3f(1, 2, 3), 2.0F), Eigen::Vector3f(2, 4, 6));
        });
      },
      4);
}
#endif

int copies_since(int before) { return Counted::copies - before; }

struct Taker {
  std::size_t look(const Counted& array) { return array.data.size(); }
  std::size_t take(Counted array) { return array.data.size(); }
  std::size_t take_rvalue(Counted&& array) { return array.data.size(); }
  Counted give(std::size_t size) { return Counted(size); }
};

constexpr std::size_t large = 100'000;  // doubles

TEST(Values, Contract5_LvaluesAreCopiedOnceAndRvaluesMoved) {
  everywhere([](const Conditions& setup) {
    Program program("copies");
    auto taker = program.with(on_rank(other(setup))).node<Taker>("taker");
    testing::run(program, setup, [&](Running&) {
      Counted array(large);
      int before = Counted::copies;
      auto looked = taker.call<&Taker::look>(array);
      EXPECT_LE(copies_since(before), 1) << "a call copies what it keeps";
      array.data.assign(3, 0.0);
      EXPECT_EQ(looked.get(), large) << "the value is that of the call";
      before = Counted::copies;
      EXPECT_EQ(taker.call<&Taker::look>(Counted(large)).get(), large);
      EXPECT_EQ(taker.call<&Taker::take>(Counted(large)).get(), large);
      EXPECT_EQ(taker.call<&Taker::take_rvalue>(Counted(large)).get(), large);
      taker.post<&Taker::take>(Counted(large));
      EXPECT_EQ(taker.get<&Taker::take>(Counted(large)), large);
      EXPECT_EQ(taker.get<&Taker::give>(large).data.size(), large);
      auto given = taker.call<&Taker::give>(large).then([](Counted value) { return value; });
      EXPECT_EQ(given.get().data.size(), large);
      EXPECT_EQ(copies_since(before), 0) << "rvalues and results are moved all the way";
    });
  });
}

TEST(Values, Contract5_CallAllKeepsOneCopy) {
  everywhere([](const Conditions& setup) {
    Program program("copies");
    auto takers = program.with(on_rank(other(setup))).group<Taker>("taker", 5);
    testing::run(program, setup, [&](Running&) {
      const Counted array(large);
      int before = Counted::copies;
      auto looked = takers.call_all<&Taker::look>(array);
      EXPECT_LE(copies_since(before), 1);
      for (auto& each : looked) EXPECT_EQ(each.get(), large);
      takers.post_all<&Taker::look>(array);
      EXPECT_LE(copies_since(before), 2);
      before = Counted::copies;
      for (auto& each : takers.call_all<&Taker::take_rvalue>(array)) EXPECT_EQ(each.get(), large);
      EXPECT_LE(copies_since(before), 6) << "one to keep, and one for each member that takes it over";
    });
  });
}

// Contract 6.

struct Nested {
  using Deep = std::map<std::string, std::vector<std::optional<std::pair<int, std::string>>>>;
  Deep deep(const Deep& value) { return value; }
  wire_types::Settings settings(wire_types::Settings value) {
    value.rates.push_back(value.start ? value.start->position[0] : -1);
    return value;
  }
  wire_types::Versioned versioned(wire_types::Versioned value) { return value; }
  std::vector<wire_types::Account> accounts(std::set<int> ids) {
    std::vector<wire_types::Account> made;
    for (const int id : ids) made.emplace_back(id, "owner " + std::to_string(id));
    return made;
  }
  std::variant<int, std::string> either(bool number) {
    if (number) return 5;
    return "five";
  }
  std::size_t handles(const std::map<std::string, std::vector<Handle<Nested>>>& given) {
    std::size_t sum = 0;
    for (const auto& [name, members] : given) {
      for (const auto& member : members) sum += member.call<&Nested::length>(name).get();
    }
    return sum;
  }
  std::size_t length(const std::string& text) { return text.size(); }
};

TEST(Values, Contract6_NestedContainersUserTypesAndHandlesTravel) {
  everywhere([](const Conditions& setup) {
    Program program("nested");
    auto nested = program.with(on_rank(other(setup))).node<Nested>("nested");
    auto second = program.with(on_rank(0)).node<Nested>("second");
    const auto result = testing::run(program, setup, [&](Running&) {
      const Nested::Deep deep{{"a", {std::pair(1, std::string(20'000, 'x')), std::nullopt}},
                              {std::string(300, 'k'), {}}};
      EXPECT_TRUE(nested.get<&Nested::deep>(deep) == deep);
      wire_types::Settings settings;
      settings.start.emplace().position[0] = 2.5;
      EXPECT_THAT(nested.get<&Nested::settings>(settings).rates, ElementsAre(2.5));
      const wire_types::Versioned versioned(3, std::string(40'000, 'o'));
      EXPECT_TRUE(nested.get<&Nested::versioned>(versioned) == versioned);
      const auto accounts = nested.get<&Nested::accounts>(std::set<int>{4, 2});
      EXPECT_THAT(accounts, ElementsAre(wire_types::Account(2, "owner 2"), wire_types::Account(4, "owner 4")));
      EXPECT_EQ(std::get<int>(nested.get<&Nested::either>(true)), 5);
      EXPECT_EQ(std::get<std::string>(nested.get<&Nested::either>(false)), "five");
      EXPECT_EQ(
          nested.get<&Nested::handles>(std::map<std::string, std::vector<Handle<Nested>>>{{"four", {second, second}}}),
          8U);
    });
    EXPECT_EQ(result.status, 0);
  });
}

struct alignas(64) Line {
  int number = 0;
};

struct Aligned {
  Line next(Line line) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&line) % alignof(Line), 0U);
    return {line.number + 1};
  }
};

TEST(Values, Contract6_OverAlignedTypesStayAligned) {
  everywhere([](const Conditions& setup) {
    Program program("aligned");
    auto near = program.with(on_rank(0)).node<Aligned>("near");
    auto far = program.with(on_rank(other(setup))).node<Aligned>("far");
    const auto result = testing::run(program, setup, [&](Running&) {
      for (int i = 0; i < 20; ++i) {
        auto line = far.call<&Aligned::next>(Line{i});
        EXPECT_EQ(line.get().number, i + 1);
        EXPECT_EQ(near.get<&Aligned::next>(Line{i}).number, i + 1);
      }
    });
    EXPECT_EQ(result.status, 0);
  });
}

}  // namespace
}  // namespace slipway::test
