// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "slipway/observe/log.hpp"

// Every knob of a run: a flag `--slipway-NAME`, a twin `SLIPWAY_NAME` in the environment, a default. A flag beats the
// environment. The table of names, units and meanings is in options_table.cpp; `--slipway-help` prints it.
namespace slipway {

enum class LauncherChoice : std::uint8_t { automatic, mpi, local };
enum class PlanRequest : std::uint8_t { none, text, json, dot };
enum class PlanFormat : std::uint8_t;
// Of what is printed; a table where none was asked for.
PlanFormat format_of(PlanRequest request);

// The values in force. Durations of 0 mean "no limit" where the table says so.
struct Settings {
  using Duration = std::chrono::nanoseconds;

  // Where and how to run.
  LauncherChoice launcher = LauncherChoice::automatic;
  std::uint32_t ranks = 0;  // 0: as many as the plan wants, at most the usable cores
  std::uint32_t cpus = 0;  // pool threads a rank; 0: the cores that the rank was granted, shared among its host's ranks
  std::uint32_t fake_hosts = 0;
  std::string mpirun;
  std::string mpirun_args;
  bool show_binding = false;
  std::string debug_rank;  // this one waits for a debugger before anything is built
  std::string gpu_order;   // "3,2,1,0": visible GPUs in the order of the cores that they are near
  bool gpu_export = true;
  std::string resources;  // "camera=1,licence=2": what this rank has of named resources
  PlanRequest plan = PlanRequest::none;
  std::string plan_on;  // HOSTSxCORES[xGPUS][:RANKS][+…][@NAMES]: the plan for such hosts instead of these

  // The run and what it leaves behind.
  std::string name;
  std::uint64_t seed = 1;
  std::string run_base = "runs";
  std::string run_directory;
  std::uint32_t attempt = 1;  // above 1: goes on in the run directory of the attempt before
  LogLevel log_level = LogLevel::info;
  bool quiet = false;
  Duration progress_every{};  // 0: 2 s on a terminal, 30 s elsewhere
  Duration heartbeat = std::chrono::seconds(1);
  std::uint32_t task_events = 10'000;  // tasks a second and rank, about, whose traces are kept in full; 0: none

  // Calls.
  std::uint32_t window_calls = 4096;
  std::uint64_t window_bytes = std::uint64_t{64} << 20;
  std::uint32_t max_blocked = 4096;
  bool serialize_local = false;
  std::uint32_t spin = 0;  // 0: chosen by how many threads share the rank's cores

  // Tasks.
  std::uint32_t most_tasks = 1 << 20;                  // that are ready on a rank, then who submits more waits
  std::uint64_t stays_from = std::uint64_t{64} << 10;  // results of so many bytes stay on the rank that made them
  std::uint64_t log_waits = std::uint64_t{64} << 20;   // bytes of a rank's log of waits; 0: none
  std::string replay;                                  // directory of the run whose waits are repeated
  std::uint32_t lose_values = 0;                       // for tests: one in so many of these is lost; 0: none
  std::uint32_t lose_tasks = 0;  // for tests: the outcome of one in so many tasks on another rank is lost; 0: none

  // Limits of time.
  Duration stall_after = std::chrono::seconds(30);
  Duration start_limit = std::chrono::seconds(60);
  Duration stop_limit = std::chrono::seconds(10);
  Duration detection_limit = std::chrono::seconds(15);
  Duration time_limit{};
  Duration notice_margin = std::chrono::minutes(2);
};

enum class Origin : std::uint8_t { built_in, environment, flag };

std::string_view to_string(Origin origin);

// Texts of values: "30s", "500ms", "2m", "1.5h" (a bare number is seconds); "64MiB", "4096", "1.5GiB", "10MB".
std::optional<std::chrono::nanoseconds> parse_duration(std::string_view text);
std::string format_duration(std::chrono::nanoseconds duration);
std::optional<std::uint64_t> parse_size(std::string_view text);
std::string format_size(std::uint64_t bytes);

class Options {
 public:
  using Environment = std::vector<std::string>;  // "NAME=value"

  // Everything by default.
  Options();

  // Takes every `--slipway-…` up to a bare `--` out of argv (argv[argc] stays null) and reads the `SLIPWAY_…`
  // variables. Throws UsageError for an unknown name, naming the nearest one, and for a value that cannot be read.
  Options(int& argc, char** argv);
  Options(int& argc, char** argv, const Environment& environment);

  const Settings& settings() const { return settings_; }
  // For defaults that a program sets before launch; keeps what the user said by flag or environment.
  // `name` as in the table, without prefix: set_default("stall-after", "5s").
  void set_default(std::string_view name, std::string_view value);

  Origin origin(std::string_view name) const;
  bool help_requested() const { return help_requested_; }
  bool version_requested() const { return version_requested_; }

  // The command line as it was before options were taken out of it: what ranks are started with.
  const std::vector<std::string>& command_line() const { return command_line_; }

  // All knobs with value and origin, one a line or one object.
  std::string to_text() const;
  std::string to_json() const;
  // What `--slipway-help` prints.
  static std::string help();

 private:
  void read_environment(const Environment& environment);
  void read_arguments(int& argc, char** argv);
  int read_flag(int at, int argc, char** argv);
  void set(std::size_t knob, std::string_view value, Origin origin);

  Settings settings_;
  std::vector<Origin> origins_;
  std::vector<std::string> command_line_;
  bool help_requested_ = false;
  bool version_requested_ = false;
};

}  // namespace slipway
