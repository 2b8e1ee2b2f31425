// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "options_table.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <type_traits>

#include "slipway/base/error.hpp"

namespace slipway::detail {

namespace {

using S = Settings;

const auto table = std::to_array<Knob>({
    {"launcher", &S::launcher, "auto|mpi|local", "start ranks by mpirun, or as threads of this process"},
    {"ranks", &S::ranks, "ranks", "number of ranks; 0: what the plan wants, at most the usable cores"},
    {"cpus", &S::cpus, "threads", "pool threads a rank; 0: the rank's share of its cores"},
    {"fake-hosts", &S::fake_hosts, "hosts", "treat the ranks as if on so many hosts; 0: the real ones"},
    {"mpirun", &S::mpirun, "path", "the mpirun to use; empty: the first of mpirun, mpiexec in $PATH"},
    {"mpirun-args", &S::mpirun_args, "words", "more arguments for mpirun, split at spaces"},
    {"show-binding", &S::show_binding, "bool", "say which cores each rank runs on"},
    {"debug-rank", &S::debug_rank, "rank", "this rank waits for a debugger before it builds its nodes"},
    {"gpu-order", &S::gpu_order, "numbers", "of the visible GPUs, by the cores that they are near: 3,2,1,0"},
    {"gpu-export", &S::gpu_export, "bool", "each rank sees its own GPUs only; off: all that its launcher shows"},
    {"resources", &S::resources, "amounts", "what each rank has of named resources: camera=1,licence=2"},
    {"plan", &S::plan, "text|json|dot", "print which node goes where, and exit"},
    {"plan-on", &S::plan_on, "hosts x cores",
     "4x56, 4x56x8 with GPUs a host, 1x56:1+3x8:2 with ranks a host, 2x56@a,b with names: the plan for such hosts"},

    {"name", &S::name, "word", "name of the run; empty: the program's"},
    {"seed", &S::seed, "number", "seed of everything that the run chooses at random"},
    {"run-base", &S::run_base, "directory", "where run directories are made"},
    {"run-directory", &S::run_directory, "directory", "the very directory of this run; empty: a new one in run-base"},
    {"attempt", &S::attempt, "number", "above 1: goes on in the run directory of an attempt before", false},
    {"log-level", &S::log_level, "debug|info|warning|error", "least level that the log files keep"},
    {"quiet", &S::quiet, "bool", "nothing on the terminal but warnings and errors"},
    {"progress-every", &S::progress_every, "time", "between progress lines; 0: 2s on a terminal, 30s elsewhere"},
    {"heartbeat", &S::heartbeat, "time", "between heartbeats in status.json", false},
    {"task-events", &S::task_events, "tasks", "a second and rank, whose traces are kept in full; 0: of none"},

    {"window-calls", &S::window_calls, "calls", "requests in flight, from one rank to one node", false},
    {"window-bytes", ByteSize{&S::window_bytes}, "bytes", "bytes of requests in flight, from one rank to one node",
     false},
    {"max-blocked", &S::max_blocked, "handlers", "handlers of a rank that may be blocked at once", false},
    {"serialize-local", &S::serialize_local, "bool", "serialize calls within a rank as if they left it"},
    {"spin", &S::spin, "polls", "empty polls of a waiting thread before it gives its core away; 0: as the cores allow"},

    {"most-tasks", &S::most_tasks, "tasks", "that are ready on a rank; who submits more waits", false},
    {"stays-from", ByteSize{&S::stays_from}, "bytes", "results of tasks of so many stay on the rank that made them",
     false},
    {"log-waits", ByteSize{&S::log_waits}, "bytes", "of what waits for tasks gave out are kept a rank; 0: none"},
    {"replay", &S::replay, "directory", "of a run: waits for tasks give out what they gave out there"},
    {"lose-values", &S::lose_values, "values", "for tests: of so many that stay, one is lost; 0: none"},
    {"lose-tasks", &S::lose_tasks, "tasks", "for tests: of so many on another rank, one is lost; 0: none"},

    {"stall-after", &S::stall_after, "time", "report waits that are longer; 0: never"},
    {"start-limit", &S::start_limit, "time", "for all nodes to be constructed; 0: no limit"},
    {"stop-limit", &S::stop_limit, "time", "for each step of the stop", false},
    {"detection-limit", &S::detection_limit, "time", "until a silent rank of another host counts as lost", false},
    {"time-limit", &S::time_limit, "time", "for the whole program, which then ends with status 124; 0: no limit"},
    {"notice-margin", &S::notice_margin, "time", "left to the program after the notice that its end is near", false},
});

template <class Enum>
struct Choice {
  std::string_view name;
  Enum value;
};
template <class Enum>
Choice(const char*, Enum) -> Choice<Enum>;  // Clang makes none of its own for aggregates before 17

constexpr std::array launcher_choices{Choice{"auto", LauncherChoice::automatic}, Choice{"mpi", LauncherChoice::mpi},
                                      Choice{"local", LauncherChoice::local}};
constexpr std::array plan_choices{Choice{"none", PlanRequest::none}, Choice{"text", PlanRequest::text},
                                  Choice{"json", PlanRequest::json}, Choice{"dot", PlanRequest::dot}};
constexpr std::array level_choices{Choice{"debug", LogLevel::debug}, Choice{"info", LogLevel::info},
                                   Choice{"warning", LogLevel::warning}, Choice{"error", LogLevel::error}};
constexpr std::array bool_choices{Choice{"0", false},   Choice{"1", true},    Choice{"false", false},
                                  Choice{"true", true}, Choice{"off", false}, Choice{"on", true},
                                  Choice{"no", false},  Choice{"yes", true}};

constexpr const auto& choices_of(LauncherChoice) { return launcher_choices; }
constexpr const auto& choices_of(PlanRequest) { return plan_choices; }
constexpr const auto& choices_of(LogLevel) { return level_choices; }
constexpr const auto& choices_of(bool) { return bool_choices; }

// Why a value could not be read; empty: it could.
using Complaint = std::string;

template <class Enum>
Complaint read(Enum& target, std::string_view value) {
  std::string names;
  for (const auto& choice : choices_of(Enum{})) {
    if (choice.name == value) {
      target = choice.value;
      return {};
    }
    names.append(names.empty() ? "" : ", ").append(choice.name);
  }
  return "it must be one of " + names;
}

template <class Number>
requires(std::is_integral_v<Number> && !std::is_same_v<Number, bool>) Complaint
    read(Number& target, std::string_view value) {
  Number number{};
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error == std::errc::result_out_of_range) return "it is too large";
  if (value.empty() || error != std::errc() || end != value.data() + value.size()) return "it must be a whole number";
  target = number;
  return {};
}

Complaint read(std::string& target, std::string_view value) {
  target = value;
  return {};
}

Complaint read(Settings::Duration& target, std::string_view value) {
  const auto duration = parse_duration(value);
  if (!duration) return "it must be a time such as 30s, 500ms or 2m";
  target = *duration;
  return {};
}

Complaint read_size(std::uint64_t& target, std::string_view value) {
  const auto size = parse_size(value);
  if (!size) return "it must be a size such as 64MiB or 4096";
  target = *size;
  return {};
}

std::string print(bool value) { return value ? "on" : "off"; }
std::string print(std::uint32_t value) { return std::to_string(value); }
std::string print(std::uint64_t value) { return std::to_string(value); }
std::string print(const std::string& value) { return value; }
std::string print(Settings::Duration value) { return format_duration(value); }
template <class Enum>
requires(std::is_enum_v<Enum>) std::string print(Enum value) {
  for (const auto& choice : choices_of(value)) {
    if (choice.value == value) return std::string(choice.name);
  }
  return {};
}

bool is_zero(const Settings& settings, const Knob& knob) {
  return std::visit(
      [&](auto member) {
        if constexpr (std::is_same_v<decltype(member), ByteSize>) {
          return settings.*member.member == 0;
        } else {
          using Value = std::remove_cvref_t<decltype(settings.*member)>;
          if constexpr (std::is_same_v<Value, std::string>) {
            return false;
          } else {
            return settings.*member == Value{};
          }
        }
      },
      knob.member);
}

}  // namespace

std::span<const Knob> knobs() { return table; }

bool is_internal_variable(std::string_view name) {
  constexpr std::array names{std::string_view("SLIPWAY_LAUNCHED"), std::string_view("SLIPWAY_TERMINAL"),
                             std::string_view("SLIPWAY_MACHINE_PATH")};
  const bool known = std::find(names.begin(), names.end(), name) != names.end();
  return known || name.starts_with("SLIPWAY_JOB_") || name.starts_with("SLIPWAY_TEST_");
}

std::string environment_name(std::string_view knob_name) {
  std::string name = "SLIPWAY_";
  for (const char letter : knob_name) {
    name.push_back(letter == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(letter))));
  }
  return name;
}

std::string_view value_when_bare(const Knob& knob) {
  if (std::holds_alternative<bool Settings::*>(knob.member)) return "on";
  if (std::holds_alternative<PlanRequest Settings::*>(knob.member)) return "text";
  return {};
}

void parse_into(Settings& settings, const Knob& knob, std::string_view value, std::string_view written) {
  Settings changed = settings;
  Complaint complaint = std::visit(
      [&](auto member) {
        if constexpr (std::is_same_v<decltype(member), ByteSize>) {
          return read_size(changed.*member.member, value);
        } else {
          return read(changed.*member, value);
        }
      },
      knob.member);
  if (complaint.empty() && !knob.may_be_zero && is_zero(changed, knob)) complaint = "it must be more than 0";
  if (!complaint.empty()) {
    throw UsageError(std::string(written) + " has the value '" + std::string(value) + "' (" + complaint +
                     ") see --slipway-help");
  }
  settings = std::move(changed);
}

std::string print_value(const Settings& settings, const Knob& knob) {
  return std::visit(
      [&](auto member) {
        if constexpr (std::is_same_v<decltype(member), ByteSize>) {
          return format_size(settings.*member.member);
        } else {
          return print(settings.*member);
        }
      },
      knob.member);
}

}  // namespace slipway::detail
