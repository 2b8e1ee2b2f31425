// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/runtime/earlier_attempt.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>

#include "slipway/base/error.hpp"
#include "slipway/observe/status.hpp"
#include "slipway/runtime/versions.hpp"
#include "slipway/state/saved_state.hpp"
#include "tools/temporary_directory.hpp"

namespace slipway {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// The run directory of an attempt before, in which "learner" has saved something.
class EarlierAttempt : public ::testing::Test {
 protected:
  EarlierAttempt() {
    directory_.write("status.json", to_json(RunStatus{.program = "train"}));
    for (const auto& [what, version] : core_versions()) versions_[what] = version;
    write_versions();
    directory_.write("graph.json", R"({"nodes": [{"label": "learner", "type": "Learner<float>"}]})");
    const SavedState state(directory_.path(), 1);
    state.complete({state.write("learner", "weights")});
  }
  void write_versions() {
    std::string json;
    for (const auto& [what, version] : versions_) {
      json += (json.empty() ? "{\"" : ", \"") + what + "\": \"" + version + "\"";
    }
    directory_.write("versions.json", json + "}");
  }
  std::string refusal(const Graph& graph) const {
    try {
      require_same_run(directory_, graph);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  }
  static Graph graph_with(const std::string& label, const std::string& type, const std::string& program = "train") {
    Graph graph(program);
    graph.add_node({.label = label, .type = type});
    return graph;
  }
  // "0.3.1" with one added to the part.
  static std::string next_version(int part) {
    const std::string own = core_versions().front().version;
    std::size_t at = 0;
    for (; part > 0; --part) at = own.find('.', at) + 1;
    const std::size_t end = std::min(own.find('.', at), own.size());
    return own.substr(0, at) + std::to_string(std::stoi(own.substr(at, end - at)) + 1) + own.substr(end);
  }

  testing::TemporaryDirectory run_;
  RunDirectory directory_ = RunDirectory::at(run_.path());
  std::map<std::string, std::string> versions_;
  const Graph same_ = graph_with("learner", "Learner<float>");
};

TEST_F(EarlierAttempt, Contract17_TheSameProgramGoesOn) { EXPECT_EQ(refusal(same_), ""); }

TEST_F(EarlierAttempt, Contract17_AnotherProgramIsRefused) {
  EXPECT_THAT(refusal(graph_with("learner", "Learner<float>", "evaluate")), HasSubstr("'train', not 'evaluate'"));
}

TEST_F(EarlierAttempt, Contract17_AnotherMajorOrMinorVersionIsRefused) {
  for (const int part : {0, 1}) {
    versions_["slipway"] = next_version(part);
    write_versions();
    EXPECT_THAT(refusal(same_),
                AllOf(HasSubstr("is of another slipway (version " + next_version(part)), HasSubstr("start a new run")));
  }
}

TEST_F(EarlierAttempt, APatchAndABuildAreWelcome) {
  versions_["slipway"] = next_version(2);
  versions_["compiler"] = "another";
  write_versions();
  EXPECT_EQ(refusal(same_), "");
}

TEST_F(EarlierAttempt, Contract17_AnotherFormatIsRefused) {
  for (const std::string format : {"wire format", "state format"}) {
    const std::string own = versions_[format];
    versions_[format] = "77";
    write_versions();
    EXPECT_THAT(refusal(same_), HasSubstr("(" + format + " 77, and this program has " + own));
    versions_[format] = own;
  }
}

TEST_F(EarlierAttempt, VersionsThatCannotBeReadAreRefused) {
  directory_.write("versions.json", "{");
  EXPECT_THAT(refusal(same_), HasSubstr("versions.json cannot be read"));
}

TEST_F(EarlierAttempt, AnAttemptThatEndedBeforeItWroteAnythingIsNoHindrance) {
  testing::TemporaryDirectory empty;
  EXPECT_NO_THROW(require_same_run(RunDirectory::at(empty.path()), same_));
}

TEST_F(EarlierAttempt, Contract16_APartOfANodeThatIsGoneIsRefused) {
  EXPECT_THAT(refusal(graph_with("actor", "Learner<float>")),
              AllOf(HasSubstr("state/1 has a part of node 'learner'"), HasSubstr("no such node now")));
}

TEST_F(EarlierAttempt, Contract16_APartOfANodeOfAnotherTypeIsRefused) {
  EXPECT_THAT(refusal(graph_with("learner", "Learner<double>")),
              AllOf(HasSubstr("as a Learner<float> (it is a Learner<double> now"), HasSubstr("take graph.json away")));
  std::filesystem::remove(run_.path() / "graph.json");
  EXPECT_EQ(refusal(graph_with("learner", "Learner<double>")), "");
}

TEST_F(EarlierAttempt, NodesThatHaveSavedNothingMayComeAndGo) {
  Graph graph("train");
  graph.add_node({.label = "learner", .type = "Learner<float>"});
  graph.add_group({.label = "actor", .type = "Actor"}, 3);
  EXPECT_EQ(refusal(graph), "");
}

}  // namespace
}  // namespace slipway
