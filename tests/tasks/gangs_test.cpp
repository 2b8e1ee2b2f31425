// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
// Tasks that several ranks run together.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "../../core/tasks/src/gang_scheduler.hpp"
#include "run_body.hpp"

namespace slipway::test::gangs {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// With real threads and under seeds, on 1 to 4 ranks.
template <class F>
void on_ranks(F&& scenario) {
  for (const std::uint32_t ranks : {1U, 2U, 4U}) {
    SCOPED_TRACE(std::to_string(ranks) + " ranks, real threads");
    scenario(Conditions{.ranks = ranks});
    if (::testing::Test::HasFailure()) return;
  }
  testing::for_each_seed(12, [&](std::uint64_t seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    scenario(Conditions{.ranks = 1 + static_cast<std::uint32_t>(seed % 4), .seed = seed});
    return !::testing::Test::HasFailure();
  });
}

void spend(int milliseconds) { seam::sleep_until(seam::after(std::chrono::milliseconds(milliseconds))); }
std::uint32_t own_rank() { return detail::Endpoint::of_this_thread().rank().value(); }

// Ranks are threads of one process here, so that members can meet in memory.
std::array<std::atomic<std::uint32_t>, 64> present;
std::array<std::atomic<int>, 8> gangs_on_rank;
std::atomic<bool> two_on_a_rank{false};

// What a member sees: its number, the size, its rank; it ends only when all members of its gang were there together.
std::vector<std::uint32_t> meet(Gang& gang, std::uint32_t number) {
  if (++gangs_on_rank[own_rank()] > 1) two_on_a_rank = true;
  ++present[number];
  while (present[number] < gang.size()) spend(1);
  --gangs_on_rank[own_rank()];
  return {gang.rank(), gang.size(), own_rank()};
}
void forget_meetings() {
  for (auto& each : present) each = 0;
  for (auto& each : gangs_on_rank) each = 0;
  two_on_a_rank = false;
}

TEST(Gangs, Contract12_MembersAreThereTogetherOnRanksOfTheirOwn) {
  on_ranks([](const Conditions& setup) {
    forget_meetings();
    const auto result = run_body(setup, [&] {
      std::vector<std::vector<Ref<std::vector<std::uint32_t>>>> gangs;
      for (std::uint32_t number = 0; number < 12; ++number) {
        gangs.push_back(gang<&meet>(1 + number % setup.ranks, number));
      }
      for (const auto& members : gangs) {
        std::set<std::uint32_t> ranks;
        for (std::uint32_t member = 0; member < members.size(); ++member) {
          const auto& seen = get(members[member]);
          EXPECT_EQ(seen[0], member);
          EXPECT_EQ(seen[1], members.size());
          ranks.insert(seen[2]);
        }
        EXPECT_EQ(ranks.size(), members.size());
      }
      EXPECT_FALSE(two_on_a_rank);
    });
    EXPECT_EQ(result.status, 0) << result.failure;
  });
}

double partial_sum(Gang& gang, const std::vector<double>& values, double factor) {
  double sum = 0;
  for (std::size_t i = gang.rank(); i < values.size(); i += gang.size()) sum += factor * values[i];
  return sum;
}
std::tuple<int, std::string> two_results(Gang& gang) {
  return {static_cast<int>(gang.rank()), std::string(gang.rank(), 'x')};
}
std::atomic<int> visits{0};
void visit(Gang&) { ++visits; }
std::vector<double> slow_values(std::size_t count) {
  spend(5);
  return std::vector<double>(count, 2.0);
}
int fails() { throw std::runtime_error("no start"); }
int needs(Gang& gang, int value) { return value + static_cast<int>(gang.rank()); }

TEST(Gangs, TakeRefsAndGiveRefs) {
  on_ranks([](const Conditions& setup) {
    visits = 0;
    const auto result = run_body(setup, [&] {
      double sum = 0;
      const auto values = submit<&slow_values>(1000UL);
      for (const auto& part : gang<&partial_sum>(setup.ranks, values, 0.5)) sum += get(part);
      EXPECT_EQ(sum, 1000.0);
      for (const auto& [number, text] : gang<&two_results>(setup.ranks)) {
        EXPECT_EQ(get(text).size(), static_cast<std::size_t>(get(number)));
      }
      wait(gang<&visit>(on({.name = "visitor", .cpus = 1}), setup.ranks));
      EXPECT_EQ(visits, static_cast<int>(setup.ranks));
    });
    EXPECT_EQ(result.status, 0) << result.failure;
  });
}

TEST(Gangs, AFailedArgumentFailsAllMembersWithItsCause) {
  on_ranks([](const Conditions& setup) {
    const auto result = run_body(setup, [&] {
      for (const auto& done : wait(gang<&needs>(setup.ranks, submit<&fails>()))) {
        EXPECT_EQ(done.outcome(), Outcome::failed);
        try {
          done.value();
          ADD_FAILURE() << "no failure";
        } catch (const TaskError& error) {
          EXPECT_THAT(error.what(), HasSubstr("no start"));
        }
      }
      EXPECT_EQ(get(gang<&needs>(setup.ranks, 5).front()), 5) << "the ranks are free again";
    });
    EXPECT_EQ(result.status, 0) << result.failure;
  });
}

std::atomic<bool> let_go{false};
std::uint32_t holds_its_ranks(Gang& gang) {
  while (!let_go && !gang.stop_requested()) spend(1);
  return gang.rank();
}
int held_back() {
  while (!let_go) spend(1);
  return 1;
}
int never(Gang&, int) {
  ADD_FAILURE() << "a member of a cancelled gang began";
  return 0;
}

TEST(Gangs, OneMemberThatIsCancelledEndsAllBeforeTheyBegin) {
  on_ranks([](const Conditions& setup) {
    let_go = false;
    const auto result = run_body(setup, [&] {
      const auto first = gang<&holds_its_ranks>(setup.ranks);
      const auto waits_for_ranks = gang<&never>(setup.ranks, 1);
      const auto argument = submit<&held_back>();
      const auto waits_for_argument = gang<&never>(setup.ranks, argument);
      for (const auto& unwanted : {waits_for_ranks, waits_for_argument}) {
        cancel(unwanted.back());
        for (const auto& done : wait(unwanted)) EXPECT_EQ(done.outcome(), Outcome::cancelled);
      }
      let_go = true;
      wait(first);
      EXPECT_EQ(get(gang<&needs>(setup.ranks, 5).front()), 5) << "the ranks are free again";
    });
    EXPECT_EQ(result.status, 0) << result.failure;
  });
}

// It waits for the others already: one of them cannot come, since its rank has no camera to give.
TEST(Gangs, AMemberThatWaitsForTheOthersCanBeCancelled) {
  const auto scenario = [](const Conditions& setup) {
    for (const bool by_time : {false, true}) {
      let_go = false;
      const auto result = run_body(setup, [&] {
        const auto keeps_it = submit<&held_back>(on({.named = {{"camera", 1}}, .on_rank = RankId(setup.ranks - 1)}));
        const auto limit = by_time ? std::chrono::milliseconds(10) : std::chrono::milliseconds(0);
        const auto members = gang<&never>(on({.named = {{"camera", 1}}, .timeout = limit}), setup.ranks, 1);
        spend(3);
        if (!by_time) cancel(members.front());
        for (const auto& done : wait(members)) EXPECT_NE(done.outcome(), Outcome::ok);
        let_go = true;
        EXPECT_EQ(get(keeps_it), 1);
        EXPECT_EQ(get(gang<&needs>(on({.named = {{"camera", 1}}}), setup.ranks, 5).front()), 5);
      });
      EXPECT_EQ(result.status, 0) << result.failure;
    }
  };
  for (const std::uint32_t ranks : {2U, 4U}) scenario({.ranks = ranks, .options = {{"resources", "camera=1"}}});
  testing::for_each_seed(12, [&scenario](std::uint64_t seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto ranks = 2 + static_cast<std::uint32_t>(seed % 3);
    scenario({.ranks = ranks, .seed = seed, .options = {{"resources", "camera=1"}}});
    return !::testing::Test::HasFailure();
  });
}

std::uint32_t fails_alone(Gang& gang) {
  if (gang.rank() == 0) throw std::domain_error("one of them");
  return gang.rank();
}

TEST(Gangs, AMemberThatThrowsFailsAlone) {
  on_ranks([](const Conditions& setup) {
    const auto result = run_body(setup, [&] {
      const auto members = gang<&fails_alone>(setup.ranks);
      for (const auto& done : wait(members)) {
        const bool is_first = done.ref() == members.front();
        EXPECT_EQ(done.outcome(), is_first ? Outcome::failed : Outcome::ok);
      }
    });
    EXPECT_EQ(result.status, 0) << result.failure;
  });
}

std::uint32_t gang_of_gangs(std::uint32_t size, int depth) {
  std::uint32_t sum = 0;
  for (const auto& member : gang<&needs>(size, depth)) sum += static_cast<std::uint32_t>(get(member));
  return sum;
}

// Each owner asks rank 0, and no two gangs hold what the other needs.
TEST(Gangs, OfManyOwnersNeverWaitForEachOther) {
  on_ranks([](const Conditions& setup) {
    const auto result = run_body(setup, [&] {
      std::vector<Ref<std::uint32_t>> sums;
      for (std::uint32_t i = 0; i < 4 * setup.ranks; ++i) {
        sums.push_back(submit<&gang_of_gangs>(on({.on_rank = RankId(i % setup.ranks)}), setup.ranks, 3));
      }
      for (const auto& sum : sums) EXPECT_EQ(get(sum), 3 * setup.ranks + setup.ranks * (setup.ranks - 1) / 2);
    });
    EXPECT_EQ(result.status, 0) << result.failure;
  });
}

TEST(Gangs, Contract8_AStopEndsWhatWaitsForRanks) {
  on_ranks([](const Conditions& setup) {
    struct Stopper {
      void run(Context& context) {
        for (int i = 0; i < 5; ++i) gang<&holds_its_ranks>(2);
        spend(5);
        context.stop("enough");
      }
    };
    if (setup.ranks < 2) return;
    let_go = false;
    Program program("stopped");
    program.node<Stopper>("stopper");
    const auto result = testing::run(program, setup);
    EXPECT_EQ(result.status, 0) << result.failure;
  });
}

TEST(Gangs, Contract15_WhatCanNeverBeIsRefused) {
  const auto refusal = [](const auto& submit_it) -> std::string {
    try {
      submit_it();
    } catch (const UsageError& error) {
      return error.what();
    }
    return "accepted";
  };
  const auto result = run_body({.ranks = 2}, [&] {
    EXPECT_THAT(refusal([] { gang<&visit>(3); }), HasSubstr("a gang of 3 ranks was asked for, with 1 cpu for each "
                                                            "member, and 2 of 2 ranks have so much"));
    EXPECT_THAT(refusal([] { gang<&visit>(on({.gpus = 2}), 2); }),
                HasSubstr("with 2 gpus for each member, and 0 of 2 ranks have so much"));
    EXPECT_THAT(refusal([] { gang<&visit>(0); }), HasSubstr("a gang of no ranks"));
    EXPECT_THAT(refusal([] { gang<&visit>(on({.on_rank = RankId(0)}), 1); }), HasSubstr("on or near a rank"));
    EXPECT_THAT(refusal([] { gang<&visit>(on({.retry_exceptions = 1}), 1); }), HasSubstr(".retry_exceptions"));
  });
  EXPECT_EQ(result.status, 0) << result.failure;
}

bool has_communicator(Gang& gang) { return gang.communicator().has_value(); }

// Who asks for it by its type gets an error: tests/tasks/gangs_program.cpp, in one process.
TEST(Gangs, RanksOfOneProcessHaveNoCommunicator) {
  const auto result = run_body({.ranks = 2}, [] {
    for (const auto& done : wait(gang<&has_communicator>(2))) EXPECT_FALSE(done.value());
  });
  EXPECT_EQ(result.status, 0) << result.failure;
}

TEST(GangScheduler, ChoosesFewHosts) {
  const std::vector<HostId> hosts{HostId(0), HostId(0), HostId(0), HostId(0), HostId(1),
                                  HostId(1), HostId(1), HostId(2), HostId(2)};
  std::vector<bool> is_free(9, true);
  const auto choose = [&](std::uint32_t size) {
    return detail::choose_gang_ranks(is_free, hosts, size).value_or(std::vector<std::uint32_t>());
  };
  EXPECT_THAT(choose(2), ElementsAre(7, 8)) << "the smallest host that has room";
  EXPECT_THAT(choose(3), ElementsAre(4, 5, 6));
  EXPECT_THAT(choose(4), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(choose(5), ElementsAre(0, 1, 2, 3, 4)) << "the largest one first";
  is_free[1] = is_free[8] = false;
  EXPECT_THAT(choose(3), ElementsAre(0, 2, 3));
  EXPECT_THAT(choose(1), ElementsAre(7));
  EXPECT_EQ(choose(7).size(), 7U);
  EXPECT_TRUE(choose(8).empty()) << "7 are free";
}

TEST(GangScheduler, KeepsTheOrderAndNoRankTwice) {
  const std::vector<detail::RankCapacity> capacities(4);
  detail::GangScheduler scheduler(capacities, std::vector<HostId>(4, HostId(0)));
  const auto names = [](const std::vector<detail::GangScheduler::Placed>& placed) {
    std::vector<std::uint64_t> gangs;
    for (const auto& each : placed) gangs.push_back(each.name.gang);
    return gangs;
  };
  EXPECT_THAT(names(scheduler.add({0, 1}, 3, {})), ElementsAre(1));
  EXPECT_THAT(names(scheduler.add({1, 2}, 2, {})), ElementsAre());
  EXPECT_THAT(names(scheduler.add({0, 3}, 1, {})), ElementsAre()) << "it came after one that waits";
  EXPECT_THAT(names(scheduler.add({2, 4}, 4, {})), ElementsAre());
  EXPECT_THAT(names(scheduler.remove({0, 1})), ElementsAre(2, 3));
  EXPECT_THAT(names(scheduler.remove({2, 4})), ElementsAre()) << "it waited";
  EXPECT_THAT(names(scheduler.add({2, 5}, 2, {})), ElementsAre());
  EXPECT_THAT(names(scheduler.remove({0, 3})), ElementsAre(5));
  EXPECT_THAT(names(scheduler.remove({0, 7})), ElementsAre()) << "nobody knows it";
}

}  // namespace
}  // namespace slipway::test::gangs
