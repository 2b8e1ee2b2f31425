// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/state/saved_state.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "slipway/base/error.hpp"
#include "slipway/observe/run_directory.hpp"
#include "tools/temporary_directory.hpp"

namespace slipway {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class SavedStates : public ::testing::Test {
 protected:
  void save(std::uint32_t number, const std::string& bytes, bool complete = true) const {
    const SavedState state(run_.path(), number);
    const auto part = state.write("shard/0", bytes);
    if (complete) state.complete({part});
  }
  std::uint32_t newest() {
    notices_.clear();
    return SavedState::newest_complete(run_.path(), [this](const std::string& text) { notices_.push_back(text); });
  }
  std::filesystem::path part(std::uint32_t number) const {
    return run_.path() / "state" / std::to_string(number) / "shard%2F0.state";
  }

  testing::TemporaryDirectory run_;
  std::vector<std::string> notices_;
};

TEST_F(SavedStates, Contract16_AreReadAsTheyWereWritten) {
  EXPECT_EQ(newest(), 0U);
  EXPECT_EQ(SavedState::next_number(run_.path()), 1U);
  const std::string bytes("a\0b\nc", 5);
  save(1, bytes);
  EXPECT_EQ(newest(), 1U);
  EXPECT_EQ(SavedState::open(run_.path(), 1).read("shard/0"), bytes);
  EXPECT_EQ(SavedState::open(run_.path(), 1).read("shard/1"), std::nullopt);
  EXPECT_THAT(SavedState::open(run_.path(), 1).nodes(), ElementsAre("shard/0"));
  EXPECT_EQ(SavedState::next_number(run_.path()), 2U);
  EXPECT_THAT(notices_, IsEmpty());
}

TEST_F(SavedStates, Contract16_OneWithoutManifestIsNotThere) {
  save(1, "first");
  save(2, "second", false);
  EXPECT_EQ(newest(), 1U);
  EXPECT_THROW(SavedState::open(run_.path(), 2), Error);
  EXPECT_THAT(notices_, ElementsAre(HasSubstr("state/2 is left aside: its manifest is missing")));
  EXPECT_EQ(SavedState::next_number(run_.path()), 3U) << "nothing is mixed into a state that was begun";
}

TEST_F(SavedStates, Contract16_OneThatIsCutShortIsNotThere) {
  save(1, "first");
  save(2, "second");
  std::filesystem::resize_file(part(2), 3);
  EXPECT_EQ(newest(), 1U);
  EXPECT_THAT(notices_, ElementsAre(HasSubstr("node 'shard/0' is missing or cut short")));
}

TEST_F(SavedStates, Contract16_OneOfAnUnknownSchemaIsLeftAside) {
  save(1, "first");
  save(2, "second");
  const auto manifest = run_.path() / "state" / "2" / "manifest.json";
  std::string text = read_file(manifest).value();
  text.replace(text.find("\"schema\": 1"), 11, "\"schema\": 7");
  write_file_atomically(manifest, text);
  EXPECT_EQ(newest(), 1U);
  EXPECT_THAT(notices_, ElementsAre(HasSubstr("its manifest has schema 7, and this slipway knows 1 alone")));
  EXPECT_THROW(SavedState::open(run_.path(), 2), Error);
}

TEST_F(SavedStates, ChangedBytesAreNoticed) {
  save(1, "first");
  std::ofstream(part(1)) << "frist";
  EXPECT_THROW(SavedState::open(run_.path(), 1).read("shard/0"), Error);
}

TEST_F(SavedStates, TheLastTwoCompleteOnesAreKept) {
  save(1, "first");
  save(2, "second", false);
  save(3, "third");
  EXPECT_TRUE(std::filesystem::exists(part(1)));
  save(4, "fourth");
  EXPECT_FALSE(std::filesystem::exists(part(1)));
}

TEST_F(SavedStates, TheLastTwoAreKept) {
  for (std::uint32_t number = 1; number <= 4; ++number) save(number, "bytes");
  EXPECT_FALSE(std::filesystem::exists(part(2)));
  EXPECT_TRUE(std::filesystem::exists(part(3)));
  EXPECT_TRUE(std::filesystem::exists(part(4)));
}

}  // namespace
}  // namespace slipway
