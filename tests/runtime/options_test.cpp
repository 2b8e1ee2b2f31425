// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/runtime/options.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "slipway/base/error.hpp"

namespace slipway {
namespace {

using namespace std::chrono_literals;
using Words = std::vector<std::string>;

// An argv that may be changed, as main gets it.
class Arguments {
 public:
  explicit Arguments(Words words) : words_(std::move(words)) {
    words_.insert(words_.begin(), "./program");
    for (auto& word : words_) pointers_.push_back(word.data());
    pointers_.push_back(nullptr);
    count_ = static_cast<int>(words_.size());
  }
  Options parse(const Options::Environment& environment = {}) { return Options(count_, pointers_.data(), environment); }
  Words left() const {
    EXPECT_EQ(pointers_[static_cast<std::size_t>(count_)], nullptr);
    return {pointers_.begin() + 1, pointers_.begin() + count_};
  }

 private:
  Words words_;
  std::vector<char*> pointers_;
  int count_ = 0;
};

Settings parsed(Words words, const Options::Environment& environment = {}) {
  return Arguments(std::move(words)).parse(environment).settings();
}

std::string complaint(Words words, const Options::Environment& environment = {}) {
  try {
    Arguments(std::move(words)).parse(environment);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "none";
}

TEST(Options, DefaultsWithoutAnything) {
  const auto settings = parsed({});
  EXPECT_EQ(settings.launcher, LauncherChoice::automatic);
  EXPECT_EQ(settings.stall_after, 30s);
  EXPECT_EQ(settings.max_blocked, 4096u);
  EXPECT_EQ(settings.run_base, "runs");
  EXPECT_FALSE(settings.quiet);
}

TEST(Options, TakesItsFlagsAndLeavesTheProgramsOwn) {
  Arguments arguments({"--steps", "7", "--slipway-ranks=4", "-v", "--slipway-stall-after", "5s", "file"});
  const auto options = arguments.parse();
  EXPECT_EQ(arguments.left(), (Words{"--steps", "7", "-v", "file"}));
  EXPECT_EQ(options.settings().ranks, 4u);
  EXPECT_EQ(options.settings().stall_after, 5s);
  EXPECT_EQ(options.command_line().size(), 8u);
  EXPECT_EQ(options.command_line()[3], "--slipway-ranks=4");
}

TEST(Options, LeavesAllBehindTwoDashes) {
  Arguments arguments({"--slipway-quiet", "--", "--slipway-ranks=4", "--slipway-wrong"});
  const auto options = arguments.parse();
  EXPECT_EQ(arguments.left(), (Words{"--", "--slipway-ranks=4", "--slipway-wrong"}));
  EXPECT_TRUE(options.settings().quiet);
  EXPECT_EQ(options.settings().ranks, 0u);
}

TEST(Options, BareBoolsAndPlanTakeNoWord) {
  Arguments arguments({"--slipway-quiet", "off", "--slipway-plan", "json"});
  const auto options = arguments.parse();
  EXPECT_EQ(arguments.left(), (Words{"off", "json"}));
  EXPECT_TRUE(options.settings().quiet);
  EXPECT_EQ(options.settings().plan, PlanRequest::text);
  EXPECT_EQ(parsed({"--slipway-plan=dot"}).plan, PlanRequest::dot);
}

TEST(Options, ReadsAllFormsOfBools) {
  for (const auto* yes : {"1", "true", "on", "yes"}) {
    EXPECT_TRUE(parsed({"--slipway-serialize-local=" + std::string(yes)}).serialize_local) << yes;
  }
  for (const auto* no : {"0", "false", "off", "no"}) {
    EXPECT_FALSE(parsed({}, {"SLIPWAY_SERIALIZE_LOCAL=" + std::string(no)}).serialize_local) << no;
  }
  EXPECT_NE(complaint({"--slipway-quiet=maybe"}).find("must be one of 0, 1, false"), std::string::npos);
}

TEST(Options, FlagBeatsEnvironmentBeatsProgramBeatsDefault) {
  Arguments arguments({"--slipway-ranks=4"});
  auto options = arguments.parse({"SLIPWAY_RANKS=2", "SLIPWAY_STALL_AFTER=1m", "HOME=/"});
  options.set_default("stall-after", "7s");
  options.set_default("stop-limit", "3s");
  EXPECT_EQ(options.settings().ranks, 4u);
  EXPECT_EQ(options.settings().stall_after, 60s);
  EXPECT_EQ(options.settings().stop_limit, 3s);
  EXPECT_EQ(options.origin("ranks"), Origin::flag);
  EXPECT_EQ(options.origin("stall-after"), Origin::environment);
  EXPECT_EQ(options.origin("stop-limit"), Origin::built_in);
}

TEST(Options, UnknownNamesAreRefusedWithTheNearest) {
  EXPECT_EQ(complaint({"--slipway-stal-after=3s"}),
            "unknown option --slipway-stal-after (flags with --slipway- belong to the runtime) did you mean "
            "--slipway-stall-after? see --slipway-help");
  EXPECT_NE(complaint({"--slipway-hepl"}).find("did you mean --slipway-help?"), std::string::npos);
  EXPECT_EQ(
      complaint({}, {"SLIPWAY_MAX_BLOKED=3"}),
      "unknown environment variable SLIPWAY_MAX_BLOKED (names with SLIPWAY_ are options of the runtime) did you mean "
      "SLIPWAY_MAX_BLOCKED? see --slipway-help");
  EXPECT_EQ(complaint({}, {"SLIPWAY_LAUNCHED=1", "SLIPWAY_TERMINAL=80"}), "none");
}

TEST(Options, WrongValuesAreRefusedWithTheReason) {
  EXPECT_EQ(complaint({"--slipway-ranks=four"}),
            "--slipway-ranks has the value 'four' (it must be a whole number) see --slipway-help");
  EXPECT_NE(complaint({"--slipway-ranks=99999999999"}).find("too large"), std::string::npos);
  EXPECT_NE(complaint({"--slipway-ranks=-1"}).find("whole number"), std::string::npos);
  EXPECT_NE(complaint({"--slipway-ranks="}).find("whole number"), std::string::npos);
  EXPECT_NE(complaint({"--slipway-stall-after=3 parsecs"}).find("30s, 500ms or 2m"), std::string::npos);
  EXPECT_NE(complaint({"--slipway-window-calls=0"}).find("more than 0"), std::string::npos);
  EXPECT_NE(complaint({"--slipway-launcher=slurm"}).find("auto, mpi, local"), std::string::npos);
  EXPECT_NE(complaint({}, {"SLIPWAY_RANKS=x"}).find("SLIPWAY_RANKS has the value 'x'"), std::string::npos);
}

TEST(Options, MissingValueIsRefused) {
  EXPECT_NE(complaint({"--slipway-ranks"}).find("has no value"), std::string::npos);
  EXPECT_NE(complaint({"--slipway-ranks", "--slipway-quiet"}).find("has no value"), std::string::npos);
  EXPECT_EQ(parsed({"--slipway-mpirun-args", "--mca btl self"}).mpirun_args, "--mca btl self");
}

TEST(Options, HelpNamesEveryKnobWithItsDefault) {
  Arguments arguments({"--slipway-help", "--slipway-version"});
  const auto options = arguments.parse();
  EXPECT_TRUE(options.help_requested());
  EXPECT_TRUE(options.version_requested());
  const auto help = Options::help();
  const auto object = nlohmann::json::parse(options.to_json());
  for (const auto& [name, entry] : object.items()) {
    EXPECT_NE(help.find("--slipway-" + name + " "), std::string::npos) << name;
    EXPECT_EQ(entry["origin"], "default") << name;
  }
  EXPECT_NE(help.find("[30s]"), std::string::npos) << help;
  EXPECT_NE(help.find("[64MiB]"), std::string::npos) << help;
}

TEST(Options, PrintedValuesCanBeReadBack) {
  Arguments arguments({"--slipway-stall-after=1.5s", "--slipway-window-bytes=1.5GiB", "--slipway-log-level=debug"});
  const auto first = arguments.parse();
  Words again;
  const auto object = nlohmann::json::parse(first.to_json());
  for (const auto& [name, entry] : object.items()) {
    again.push_back("--slipway-" + name + "=" + entry["value"].get<std::string>());
  }
  const auto second = Arguments(again).parse();
  EXPECT_EQ(second.settings().stall_after, 1500ms);
  EXPECT_EQ(second.settings().window_bytes, std::uint64_t{3} << 29);
  EXPECT_EQ(second.settings().log_level, LogLevel::debug);
  EXPECT_EQ(second.settings().heartbeat, first.settings().heartbeat);
}

TEST(Options, TextShowsValueAndOrigin) {
  const auto text = Arguments({"--slipway-ranks=4"}).parse().to_text();
  EXPECT_NE(text.find("ranks            4                flag\n"), std::string::npos) << text;
}

TEST(Options, Durations) {
  EXPECT_EQ(parse_duration("30"), 30s);
  EXPECT_EQ(parse_duration("500ms"), 500ms);
  EXPECT_EQ(parse_duration("2m"), 2min);
  EXPECT_EQ(parse_duration("1.5h"), 90min);
  EXPECT_EQ(parse_duration("0"), 0s);
  for (const auto* wrong : {"", "s", "-1s", "1e3s", "nan", "inf", "1s2", "400000000h"}) {
    EXPECT_EQ(parse_duration(wrong), std::nullopt) << wrong;
  }
  EXPECT_EQ(format_duration(90s), "90s");
  EXPECT_EQ(format_duration(2h), "2h");
  EXPECT_EQ(format_duration(1ns), "1ns");
  EXPECT_EQ(format_duration(0ns), "0");
}

TEST(Options, Sizes) {
  EXPECT_EQ(parse_size("4096"), 4096u);
  EXPECT_EQ(parse_size("64MiB"), std::uint64_t{64} << 20);
  EXPECT_EQ(parse_size("64 MiB"), std::uint64_t{64} << 20);
  EXPECT_EQ(parse_size("10MB"), 10'000'000u);
  EXPECT_EQ(parse_size("1G"), std::uint64_t{1} << 30);
  for (const auto* wrong : {"", "MiB", "-1", "1 XiB", "9e18"}) EXPECT_EQ(parse_size(wrong), std::nullopt) << wrong;
  EXPECT_EQ(format_size(1536), "1536B");
  EXPECT_EQ(format_size(std::uint64_t{64} << 20), "64MiB");
}

}  // namespace
}  // namespace slipway
