// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/slurm/machine_profile.hpp"

#include <gmock/gmock.h>

#include <fstream>
#include <map>

#include "jobs.hpp"
#include "slipway/base/error.hpp"
#include "tools/temporary_directory.hpp"

namespace slipway::slurm {
namespace {

using slipway::testing::TemporaryDirectory;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;

constexpr const char* smallest = R"({"schema": 1, "node_types": [{"name": "node"}]})";

class MachineFiles : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    std::ofstream(directory_.path() / (name + ".json")) << text;
  }
  MachinePath path() const { return {.directories = {directory_.path()}}; }
  std::string refusal(const std::string& name) const {
    try {
      load_machine(name, path());
    } catch (const UsageError& error) {
      return error.what();
    }
    return "no refusal";
  }

  TemporaryDirectory directory_;
};

TEST(ShippedMachines, AllCanBeReadAndSayWhereTheirFactsComeFrom) {
  const auto machines = find_machines(shipped_machines());
  EXPECT_GE(machines.size(), 11u);
  for (const auto& file : machines) {
    const auto machine = load_machine(file.name, shipped_machines());
    EXPECT_FALSE(machine.description.empty()) << file.name;
    if (file.name == "generic") continue;
    EXPECT_FALSE(machine.sources.empty()) << file.name;
  }
}

TEST(ShippedMachines, ShownAsTheyAreRead) {
  TemporaryDirectory directory;
  for (const auto& file : find_machines(shipped_machines())) {
    const std::string shown = to_json(load_machine(file.name, shipped_machines()));
    std::ofstream(directory.path() / (file.name + ".json")) << shown;
    EXPECT_EQ(to_json(load_machine(file.name, {.directories = {directory.path()}})), shown);
  }
}

TEST(ShippedMachines, AreRecognised) {
  const std::map<std::string, std::string> variables{{"NERSC_HOST", "perlmutter"}, {"LMOD_SYSTEM_NAME", "perlmutter"}};
  const auto perlmutter = [&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  };
  EXPECT_EQ(detect_machine(shipped_machines(), perlmutter), "perlmutter");
  EXPECT_EQ(detect_machine(shipped_machines(), [](const char*) { return nullptr; }), std::nullopt);
}

TEST_F(MachineFiles, HeirsChangeWhatTheySay) {
  write("parent", R"({"schema": 1, "description": "the parent", "mpi": "pmix", "environment": {"A": "1", "B": "2"},
                      "node_types": [{"name": "node", "cores": 8}]})");
  write("heir", R"({"inherits": "parent", "launcher": "mpirun", "environment": {"B": "3", "A": null}})");
  const auto heir = load_machine("heir", path());
  EXPECT_EQ(heir.mpi, "pmix");
  EXPECT_EQ(heir.launcher, Launcher::mpirun);
  EXPECT_EQ(heir.environment, (std::map<std::string, std::string>{{"B", "3"}}));
  EXPECT_EQ(heir.description, "");
  EXPECT_EQ(heir.node_type("").usable_cores, 8u);
}

TEST_F(MachineFiles, EarlierDirectoriesHideLaterOnes) {
  TemporaryDirectory site;
  std::ofstream(site.path() / "here.json")
      << R"({"schema": 1, "description": "the site's", "node_types": [{"name": "n"}]})";
  write("here", smallest);
  const std::map<std::string, std::string> variables{{"SLIPWAY_MACHINE_PATH", "/nowhere:" + site.path().string()}};
  const auto environment = [&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  };
  const auto both = machine_path(environment, "/project", directory_.path());
  EXPECT_EQ(load_machine("here", both).description, "the site's");
  EXPECT_THAT(both.directories, Contains(std::filesystem::path("/project/.slipway/machines")));
}

TEST_F(MachineFiles, MistakesAreNamedWithTheirPlace) {
  write("near", smallest);
  EXPECT_THAT(refusal("nears"), AllOf(HasSubstr("did you mean 'near'"), HasSubstr(directory_.path().string())));
  write("text", "schema: 1");
  EXPECT_THAT(refusal("text"), HasSubstr("text.json is not JSON"));
  write("field", R"({"schema": 1, "partiton": "required", "node_types": [{"name": "n"}]})");
  EXPECT_THAT(refusal("field"), AllOf(HasSubstr("no field 'partiton'"), HasSubstr("did you mean 'partition'")));
  write("word", R"({"schema": 1, "launcher": "qsub", "node_types": [{"name": "n"}]})");
  EXPECT_THAT(refusal("word"), HasSubstr("it must be one of srun, mpirun, ibrun"));
  write("cores", R"({"schema": 1, "node_types": [{"name": "n"}, {"name": "m", "cores": 8, "usable_cores": 9}]})");
  EXPECT_THAT(refusal("cores"), HasSubstr("node_types[1]: the field 'usable_cores' is wrong"));
  write("number", R"({"schema": 1, "node_types": [{"name": "n", "cores": -8}]})");
  EXPECT_THAT(refusal("number"), HasSubstr("'cores' is wrong (it must be a whole number, 0 or more)"));
  write("schema", R"({"schema": 2, "node_types": [{"name": "n"}]})");
  EXPECT_THAT(refusal("schema"), HasSubstr("this slipway reads schema 1"));
  write("time",
        R"({"schema": 1, "node_types": [{"name": "n"}], "partitions": [{"name": "p", "most_time": "2 days"}]})");
  EXPECT_THAT(refusal("time"), HasSubstr("partitions[0]: the field 'most_time' is wrong"));
  write("empty", R"({"schema": 1})");
  EXPECT_THAT(refusal("empty"), HasSubstr("there must be at least one"));
  write("both", R"({"schema": 1, "hint": "nomultithread", "cpu_bind": "cores", "node_types": [{"name": "n"}]})");
  EXPECT_THAT(refusal("both"), HasSubstr("Slurm takes no hint beside a cpu_bind"));
}

TEST_F(MachineFiles, MistakesInQueuesAreNamed) {
  const auto refusal_of = [this](const std::string& queue) {
    write("queue", R"({"schema": 1, "node_types": [{"name": "n"}], "partitions": [)" + queue + "]}");
    return refusal("queue");
  };
  EXPECT_THAT(refusal_of(R"({"name": "p", "time_by_nodes": [{"most_nodes": 4}]})"),
              HasSubstr("partitions[0]: time_by_nodes[0]: the field 'most_time' is wrong (it is missing)"));
  EXPECT_THAT(refusal_of(R"({"name": "p", "time_by_nodes": [{"most_time": "2h", "most_nodes": 4},
                                                            {"most_time": "3h", "most_nodes": 4}]})"),
              HasSubstr("time_by_nodes[1]: the field 'most_nodes' is wrong (it must ascend"));
  EXPECT_THAT(
      refusal_of(R"({"name": "p", "time_by_nodes": [{"most_time": "2h"}, {"most_time": "3h", "most_nodes": 4}]})"),
      HasSubstr("only the last may have none"));
  EXPECT_THAT(refusal_of(R"({"name": "p", "most_time": "2h", "time_by_nodes": [{"most_time": "3h"}]})"),
              HasSubstr("\"time_by_nodes\" says it already"));
  EXPECT_THAT(refusal_of(R"({"name": "p", "default": true}, {"name": "q", "default": true})"),
              HasSubstr("two of them are the default"));
  EXPECT_THAT(refusal_of(R"({"name": "p", "memory": "per-cpu"})"),
              HasSubstr("it must be one of omit, all, explicit, per-core, never"));
  EXPECT_THAT(refusal_of(R"({"name": "p", "memory": "per-core"})"), HasSubstr("\"memory\" is \"per-core\""));
  EXPECT_THAT(refusal_of(R"({"name": "p", "memory_mib_per_core": 2})"), HasSubstr("it belongs to \"memory\""));
}

TEST_F(MachineFiles, QueuesAreShownAsTheyAreRead) {
  write("queues", R"({"schema": 1, "node_types": [{"name": "n"}], "partitions": [
      {"name": "p", "default": true, "memory": "never", "memory_mib_per_core": 2000,
       "time_by_nodes": [{"most_nodes": 4, "most_time": "2h"}, {"most_time": "3h"}]}]})");
  const std::string shown = to_json(load_machine("queues", path()));
  for (const char* const part : {R"("default": true)", R"("memory": "never")", R"("memory_mib_per_core": 2000)",
                                 R"("most_time": "02:00:00")", R"("most_time": "03:00:00")"}) {
    EXPECT_THAT(shown, HasSubstr(part));
  }
  write("again", shown);
  EXPECT_EQ(to_json(load_machine("again", path())), shown);
}

TEST_F(MachineFiles, CirclesOfInheritanceAreFound) {
  write("a", R"({"inherits": "b"})");
  write("b", R"({"inherits": "a"})");
  EXPECT_THAT(refusal("a"), HasSubstr("'a' inherits itself (by way of 'b')"));
}

}  // namespace
}  // namespace slipway::slurm
