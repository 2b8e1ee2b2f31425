// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
// A run whose branches depend on which task was quicker is repeated.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <random>
#include <set>
#include <string>

#include "run_body.hpp"
#include "slipway/observe/run_directory.hpp"
#include "slipway/observe/wait_log.hpp"
#include "tools/temporary_directory.hpp"

namespace slipway::test {
namespace {

using testing::TemporaryDirectory;

std::uint64_t random_sleeper(TaskContext& context, std::uint64_t number) {
  thread_local std::mt19937 random{std::random_device()()};
  seam::sleep_until(seam::now() + static_cast<seam::Time>(random() % 1'000'000));
  return detail::child_id(context.id(), number);
}

// What it submits next depends on what has come, and on whether something came in time.
std::uint64_t wander(std::uint64_t start, int depth) {
  std::uint64_t digest = start;
  WaitSet<std::uint64_t> waiting;
  for (std::uint64_t i = 0; i < 4; ++i) waiting.add(submit<&random_sleeper>(i));
  if (depth > 0) waiting.add(submit<&wander>(start + 1, depth - 1));
  for (int step = 0; step < 12; ++step) {
    const auto done = waiting.wait({.count = 1, .timeout = step % 3 == 2 ? 100us : 10s});
    digest = detail::child_id(digest, done.empty() ? 0 : done.front().value());
    if (digest % 4 != 0) waiting.add(submit<&random_sleeper>(digest));
  }
  for (const auto& done : waiting.wait()) digest = detail::child_id(digest, done.value());
  return digest;
}

std::uint64_t digest_of(Conditions setup, const TemporaryDirectory& directory, const std::string& replay = {}) {
  setup.options.emplace_back("run-directory", directory.path().string());
  if (!replay.empty()) setup.options.emplace_back("replay", replay);
  std::uint64_t digest = 0;
  const auto result = run_body(setup, [&] { digest = wander(1, 2); });
  EXPECT_EQ(result.status, 0) << result.failure;
  return digest;
}

TEST(Replay, Contract13_WaitsGiveOutTheSame) {
  std::set<std::uint64_t> digests;
  for (int run = 0; run < 6; ++run) {
    const TemporaryDirectory first;
    const std::uint64_t digest = digest_of({.ranks = 2, .pool_threads = 2}, first);
    digests.insert(digest);
    for (const std::uint32_t ranks : {1U, 2U, 3U}) {
      const TemporaryDirectory again;
      EXPECT_EQ(digest_of({.ranks = ranks, .pool_threads = 4 - ranks}, again, first.path().string()), digest);
    }
    // And one that was a repetition itself.
    const TemporaryDirectory second;
    const TemporaryDirectory third;
    EXPECT_EQ(digest_of({.ranks = 1, .seed = 1}, second, first.path().string()), digest);
    EXPECT_EQ(digest_of({.ranks = 2, .seed = 2}, third, second.path().string()), digest);
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(digests.size(), 1U) << "the program takes the same branches anyway, and nothing was tested";
}

TEST(Replay, OfARunThatWasCutShortGoesAsFarAsItsLog) {
  const TemporaryDirectory first;
  const std::uint64_t digest = digest_of({.pool_threads = 2}, first);
  const auto file = RunDirectory::at(first.path()).wait_log_file(0, 1);
  const auto whole = read_wait_log(file);
  ASSERT_GT(whole.size(), 20U);
  std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2 + 3);
  EXPECT_LT(read_wait_log(file).size(), whole.size());
  const TemporaryDirectory second;
  static_cast<void>(digest_of({.pool_threads = 2}, second, first.path().string()));
  const auto log = read_file(RunDirectory::at(second.path()).log_file(0)).value_or("");
  EXPECT_NE(log.find("waits of rank 0 do not fit those of"), std::string::npos) << log;
  EXPECT_NE(digest, 0U);
}

TEST(Replay, ALogIsBounded) {
  const TemporaryDirectory directory;
  Conditions setup{.pool_threads = 2, .options = {{"log-waits", "100"}}};
  static_cast<void>(digest_of(setup, directory));
  const auto log = read_file(RunDirectory::at(directory.path()).log_file(0)).value_or("");
  EXPECT_NE(log.find("waits are not logged any more"), std::string::npos) << log;
}

}  // namespace
}  // namespace slipway::test
