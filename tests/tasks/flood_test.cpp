// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
// Who submits more tasks than the rank can run is held up.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "run_body.hpp"
#include "slipway/tasks/task_system.hpp"

namespace slipway::test {
namespace {

constexpr int flood_size = 5'000;
// Two submitters, each of which looks now and then only.
constexpr std::uint64_t most_at_a_time = 100 + 2 * 256 + 10;

std::atomic<int> flood_ran{0};
std::atomic<std::uint64_t> most_unfinished{0};

void of_flood(int) {
  seam::sleep_until(seam::now() + 20'000);
  ++flood_ran;
}
void flood() {
  detail::TaskSystem& tasks = detail::TaskSystem::of_this_thread();
  for (int i = 0; i < flood_size; ++i) {
    submit<&of_flood>(i);
    most_unfinished = std::max<std::uint64_t>(most_unfinished, tasks.unfinished());
  }
}
int flooding(int) {
  flood();
  return 1;
}

// The task gives its core away while it is held up, so that the others run although there is one thread.
TEST(Flood, WhoSubmitsMoreThanCanRunWaits) {
  everywhere(
      [](Conditions setup) {
        setup.ranks = 1;
        setup.pool_threads = 1;
        setup.options.emplace_back("most-tasks", "100");
        flood_ran = 0;
        most_unfinished = 0;
        const auto result = run_body(setup, [] {
          const Ref<int> other = submit<&flooding>(1);
          flood();
          EXPECT_EQ(get(other), 1);
          while (flood_ran < 2 * flood_size) seam::sleep_until(seam::now() + 1'000'000);
          EXPECT_LE(most_unfinished, most_at_a_time);
        });
        EXPECT_EQ(result.status, 0) << result.failure;
      },
      4);
}

TEST(Flood, AStopLetsGoOfWhoIsHeldUp) {
  struct Flooder {
    void run(Context& context) {
      context.start_thread([] { flood(); });
      seam::sleep_until(seam::after(20ms));
      context.stop("enough");
    }
  };
  Program program("flood");
  program.node<Flooder>("flooder");
  const auto result = testing::run(program, {.pool_threads = 1, .options = {{"most-tasks", "100"}}});
  EXPECT_EQ(result.status, 0) << result.failure;
}

}  // namespace
}  // namespace slipway::test
