// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../runtime_contract/everywhere.hpp"
#include "slipway/tasks/task_system.hpp"

// Programs with a node a rank that makes, keeps and looks at values.
namespace slipway::test::on_ranks {  // functions of tasks need names of their own in the whole program

inline std::uint32_t own_rank() { return detail::Endpoint::of_this_thread().rank().value(); }
inline detail::TaskSystem& own_tasks() { return detail::TaskSystem::of_this_thread(); }

inline void spend(int milliseconds) { seam::sleep_until(seam::after(std::chrono::milliseconds(milliseconds))); }

// A value with user code in it.
struct Text {
  std::string text;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(text);
  }
};
using Numbers = std::vector<double>;

inline Numbers numbers(std::size_t size) {
  Numbers all(size);
  std::iota(all.begin(), all.end(), 0.0);
  return all;
}
inline double sum(const Numbers& values) { return std::accumulate(values.begin(), values.end(), 0.0); }
inline double sum_of_sums(const std::vector<double>& sums, const Text& text) {
  return sum(sums) + static_cast<double>(text.text.size());
}
inline double expected_sum(std::size_t size) {
  const auto count = static_cast<double>(size);
  return count * (count - 1) / 2;
}
inline int failed(int value) { throw std::domain_error("no " + std::to_string(value)); }
inline void nothing() {}

// Makes, keeps and looks at values on its rank.
struct Keeper {
  std::vector<Ref<Numbers>> kept;

  Ref<Numbers> make(std::size_t size) { return put(numbers(size)); }
  Ref<Numbers> make_by_task(std::size_t size) { return submit<&numbers>(size); }
  Ref<Text> make_text(std::string text) { return put(Text{std::move(text)}); }
  Ref<int> make_failure(int value) { return submit<&failed>(value); }
  Ref<void> make_nothing() { return submit<&nothing>(); }
  void keep(const Ref<Numbers>& ref) { kept.push_back(ref); }
  std::vector<Ref<Numbers>> give_all() { return std::exchange(kept, {}); }
  double look(const Ref<Numbers>& ref) { return sum(get(ref)); }
  double look_by_task(const Ref<Numbers>& ref, const Ref<Text>& text) {
    return get(submit<&sum_of_sums>(std::vector{submit<&sum>(ref), submit<&sum>(ref)}, text));
  }
  int look_at_number(const Ref<int>& ref) { return get(ref); }
  double look_at(const Numbers& values) { return sum(values); }
  void slowly() { spend(20); }
  std::size_t lent() { return own_tasks().lent_values(); }
  std::uint64_t given() { return own_tasks().values_given(); }
  std::size_t borrowed() { return own_tasks().borrowed_values(); }
};

struct Setting {
  std::vector<Handle<Keeper>> keepers;  // by rank
};

// Nothing of any rank is known to another one any more: weights are all back.
inline void expect_nothing_lent(const Setting& setting) {
  std::size_t left = 1;
  for (int attempt = 0; attempt < 2000 && left > 0; ++attempt) {
    left = 0;
    for (const auto& keeper : setting.keepers) {
      left += keeper.get<&Keeper::lent>() + keeper.get<&Keeper::borrowed>();
    }
    if (left > 0) spend(1);
  }
  EXPECT_EQ(left, 0U) << "refs between ranks were left behind";
}

template <class Body>
void run_on(Conditions setup, Body&& body) {
  setup.options.emplace_back("resources", "lamp=1");
  Program program("spread");
  Setting setting;
  for (std::uint32_t rank = 0; rank < setup.ranks; ++rank) {
    setting.keepers.push_back(program.with(on_rank(rank)).node<Keeper>("keeper" + std::to_string(rank)));
  }
  const auto result = testing::run(program, setup, [&](Running&) {
    body(setting);
    expect_nothing_lent(setting);
  });
  EXPECT_EQ(result.status, 0) << result.failure;
}

// With real threads and under seeds, on 2, 3 and 4 ranks; `base`: threads and options.
template <class Body>
void spread(const Conditions& base, Body&& body, std::uint32_t seeds = 0) {
  Conditions setup = base;
  for (const std::uint32_t ranks : {2U, 3U, 4U}) {
    SCOPED_TRACE(std::to_string(ranks) + " ranks, real threads");
    setup.ranks = ranks;
    run_on(setup, body);
    if (::testing::Test::HasFailure()) return;
  }
  testing::for_each_seed(seeds, [&](std::uint64_t seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    setup = base;
    setup.ranks = 2 + static_cast<std::uint32_t>(seed % 3);
    setup.seed = seed;
    setup.serialize_local = seed % 4 == 0;
    if (seed % 5 == 3 && base.options.empty()) setup.options.emplace_back("stays-from", "1");
    run_on(setup, body);
    return !::testing::Test::HasFailure();
  });
}
template <class Body>
void spread(std::uint32_t threads, Body&& body, std::uint32_t seeds = 0) {
  spread(Conditions{.pool_threads = threads}, body, seeds);
}

}  // namespace slipway::test::on_ranks
