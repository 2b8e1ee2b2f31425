// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/runtime/affinity.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>

namespace slipway {

namespace fs = std::filesystem;

namespace {

struct FreeSet {
  void operator()(cpu_set_t* set) const { CPU_FREE(set); }
};

// A set of cores of a machine of any size: the kernel refuses sets that are too small for it.
class CoreSet {
 public:
  explicit CoreSet(std::size_t cores) : cores_(cores), set_(CPU_ALLOC(cores)) { CPU_ZERO_S(bytes(), set_.get()); }
  std::size_t bytes() const { return CPU_ALLOC_SIZE(cores_); }
  cpu_set_t* get() const { return set_.get(); }
  void add(std::size_t core) { CPU_SET_S(core, bytes(), set_.get()); }
  bool has(std::size_t core) const { return CPU_ISSET_S(core, bytes(), set_.get()) != 0; }

 private:
  std::size_t cores_;
  std::unique_ptr<cpu_set_t, FreeSet> set_;
};

constexpr std::size_t smallest_set = 1024;
constexpr std::size_t largest_set = std::size_t{1} << 20;

Cores cores_of(pid_t process) {
  for (std::size_t size = smallest_set; size <= largest_set; size *= 2) {
    const CoreSet set(size);
    if (::sched_getaffinity(process, set.bytes(), set.get()) != 0) continue;
    Cores cores;
    for (std::size_t core = 0; core < size; ++core) {
      if (set.has(core)) cores.push_back(static_cast<std::uint32_t>(core));
    }
    return cores;
  }
  return {};
}

bool move_to(const Cores& cores) {
  if (cores.empty()) return false;
  CoreSet set(std::max<std::size_t>(smallest_set, cores.back() + std::size_t{1}));
  for (const auto core : cores) set.add(core);
  return ::sched_setaffinity(0, set.bytes(), set.get()) == 0;
}

std::optional<double> number_in(const fs::path& file) {
  std::ifstream input(file);
  double number = 0;
  if (!(input >> number)) return std::nullopt;
  return number;
}

// Version 2: "max 100000" or "150000 100000".
std::optional<double> limit_of_group(const fs::path& group) {
  std::ifstream input(group / "cpu.max");
  double quota = 0;
  double period = 0;
  if (input >> quota >> period && period > 0) return quota / period;
  const auto old_quota = number_in(group / "cpu.cfs_quota_us");
  const auto old_period = number_in(group / "cpu.cfs_period_us");
  if (old_quota && old_period && *old_quota > 0 && *old_period > 0) return *old_quota / *old_period;
  return std::nullopt;
}

// The tightest limit from the group up to the root.
std::optional<double> limit_on_path(const fs::path& root, const fs::path& group) {
  std::optional<double> tightest;
  for (fs::path at = group;; at = at.parent_path()) {
    const auto limit = limit_of_group(root / at.relative_path());
    if (limit && (!tightest || *limit < *tightest)) tightest = limit;
    if (at == at.parent_path()) return tightest;
  }
}

}  // namespace

std::string format_cores(const Cores& cores) {
  if (cores.empty()) return "none";
  std::string text;
  for (std::size_t first = 0; first < cores.size();) {
    std::size_t last = first;
    while (last + 1 < cores.size() && cores[last + 1] == cores[last] + 1) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(cores[first]);
    if (last > first) text += "-" + std::to_string(cores[last]);
    first = last + 1;
  }
  return text;
}

Cores allowed_cores() { return cores_of(0); }

double granted_processor_time(const fs::path& proc_self_cgroup, const fs::path& root) {
  std::ifstream input(proc_self_cgroup);
  std::optional<double> tightest;
  // Lines are "0::/path" in version 2, "4:cpu,cpuacct:/path" in version 1.
  for (std::string line; std::getline(input, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool has_cpu = ("," + controllers + ",").find(",cpu,") != std::string::npos;
    if (!controllers.empty() && !has_cpu) continue;
    const fs::path top = controllers.empty() ? root : root / controllers;
    const auto limit = limit_on_path(top, line.substr(second + 1));
    if (limit && (!tightest || *limit < *tightest)) tightest = limit;
  }
  return tightest.value_or(0);
}

std::uint32_t usable_cores() {
  const auto allowed = std::max<std::size_t>(1, allowed_cores().size());
  const double granted = granted_processor_time();
  if (granted <= 0) return static_cast<std::uint32_t>(allowed);
  const auto whole = std::max<std::size_t>(1, static_cast<std::size_t>(std::ceil(granted)));
  return static_cast<std::uint32_t>(std::min(allowed, whole));
}

Widening widen_affinity(const LaunchedBy& launcher, std::uint32_t wanted) {
  Widening result;
  result.before = allowed_cores();
  result.after = result.before;
  if (!launcher || result.before.size() >= wanted) return result;
  const Cores of_launcher = cores_of(::getppid());
  if (of_launcher.size() <= result.before.size()) return result;  // the machine, or the grant, has no more
  if (launcher.binds_by_habit && move_to(of_launcher)) {
    result.after = allowed_cores();
  } else {
    result.advice = "bound to core " + format_cores(result.before) + " of " + format_cores(of_launcher) + " (" +
                    std::to_string(wanted) + " threads of the rank share it) start with more cores a rank, as mpirun " +
                    "--bind-to none or srun --cpus-per-task=" + std::to_string(wanted) + " gives them";
  }
  return result;
}

std::string describe_binding(std::uint32_t rank, std::uint32_t ranks, const std::string& host) {
  const Cores cores = allowed_cores();
  std::ostringstream text;
  text << "rank " << rank << " of " << ranks << " on " << host << ": cores " << format_cores(cores) << " ("
       << cores.size() << " of the " << ::sysconf(_SC_NPROCESSORS_ONLN) << " online)";
  return text.str();
}

}  // namespace slipway
