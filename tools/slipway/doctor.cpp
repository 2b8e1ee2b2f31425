// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/timex.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>

#include "arguments.hpp"
#include "command.hpp"
#include "machine_choice.hpp"
#include "slipway/base/text.hpp"
#include "slipway/runtime/affinity.hpp"
#include "slipway/runtime/gpus.hpp"
#include "slipway/runtime/options.hpp"
#include "verbs.hpp"

namespace slipway::tool {

namespace {

struct Finding {
  std::string what;
  std::string found;
  std::string remedy{};  // empty: all is well
};

std::string first_line(const std::string& text) { return std::string(split(text, '\n').front()); }

Finding check_mpi() {
  const auto result = run_command({"mpirun", "--version"});
  if (!result) {
    return {"MPI", "no mpirun on the PATH",
            "load the MPI module, or install an MPI; without it programs run in one process"};
  }
  return {"MPI", first_line(result->output)};
}

Finding check_slurm() {
  const auto version = run_command({"sbatch", "--version"});
  if (!version) return {"Slurm", "no sbatch on the PATH", "load the module of Slurm, if this machine has one"};
  const auto list = run_command({"srun", "--mpi=list"});
  std::string plugins;
  if (list) {
    for (const char letter : list->output + list->errors) plugins += letter == '\n' || letter == '\t' ? ' ' : letter;
  }
  const bool has_pmix = plugins.find("pmix") != std::string::npos;
  const bool has_other = plugins.find("cray") != std::string::npos || plugins.find("pmi2") != std::string::npos;
  const std::string remedy = has_pmix || has_other ? "" : "srun cannot start MPI ranks here: use --launcher mpirun";
  return {"Slurm", first_line(version->output) + "; " + plugins, remedy};
}

Finding check_machine() {
  const auto machine = choose_machine("");
  const bool generic = machine.name == "generic";
  return {"machine", machine.name,
          generic ? "no profile fits: numbers of cores and GPUs are not checked; write one, see docs/machines.md" : ""};
}

Finding check_cores() {
  const Cores allowed = allowed_cores();
  const std::uint32_t usable = usable_cores();
  const bool limited = usable < allowed.size();
  return {"cores", fmt::format("{} may be used ({})", usable, format_cores(allowed)),
          limited ? "a control group grants less processor time than there are cores" : ""};
}

Finding check_gpus() {
  const VisibleGpus gpus = visible_gpus(::getenv);
  if (gpus.devices.empty()) return {"GPUs", "none seen"};
  std::string list;
  for (const auto& device : gpus.devices) list.append(list.empty() ? "" : ",").append(device);
  return {"GPUs", fmt::format("{}={}", gpus.variable, list)};
}

std::string amount(rlim_t limit) { return limit == RLIM_INFINITY ? "unlimited" : format_size(limit); }

Finding check_limit(const std::string& what, __rlimit_resource resource, rlim_t least, const std::string& remedy) {
  rlimit limit{};
  ::getrlimit(resource, &limit);
  return {what, amount(limit.rlim_cur), limit.rlim_cur < least ? remedy : ""};
}

Finding check_shared_memory() {
  struct statvfs space {};
  if (::statvfs("/dev/shm", &space) != 0) return {"/dev/shm", "is not there", "MPI's shared memory needs it"};
  const std::uint64_t free = std::uint64_t{space.f_bavail} * space.f_frsize;
  constexpr std::uint64_t enough = std::uint64_t{256} << 20;
  return {"/dev/shm", format_size(free) + " free",
          free < enough ? "look for files that dead runs have left there" : ""};
}

Finding check_clock() {
  timex state{};
  const int kind = ::adjtimex(&state);
  const bool good = kind >= 0 && kind != TIME_ERROR;
  return {"clock", good ? "synchronised" : "not synchronised",
          good ? "" : "times in logs of different hosts do not compare; ask for NTP"};
}

Finding check_locks() {
  const std::string file = ".slipway-doctor-" + std::to_string(::getpid());
  const int descriptor = ::open(file.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor < 0) {
    return {"files here", std::string("cannot be written (") + std::strerror(errno) + ")",
            "go to a directory that all nodes can write, or use --run-base"};
  }
  const bool locks = ::flock(descriptor, LOCK_EX | LOCK_NB) == 0;
  ::close(descriptor);
  ::unlink(file.c_str());
  return {"files here", locks ? "can be written and locked" : "cannot be locked",
          locks ? "" : "set HDF5_USE_FILE_LOCKING=FALSE, with one writer a file"};
}

std::vector<Finding> examine() {
  return {
      check_machine(),
      check_mpi(),
      check_slurm(),
      check_cores(),
      check_gpus(),
      check_limit("locked memory", RLIMIT_MEMLOCK, 64 << 10, "fast networks need more: ask for ulimit -l unlimited"),
      check_limit("core files", RLIMIT_CORE, 1,
                  "a crash leaves none: slipway run --core-dumps, slipway submit --core-dumps"),
      check_limit("open files", RLIMIT_NOFILE, 1024, "many ranks on a host need more: ulimit -n"),
      check_shared_memory(),
      check_clock(),
      check_locks()};
}

int doctor(bool json) {
  const auto findings = examine();
  if (json) {
    auto list = nlohmann::ordered_json::array();
    for (const auto& [what, found, remedy] : findings) {
      list.push_back({{"what", what}, {"found", found}, {"remedy", remedy}});
    }
    fmt::print("{}\n", list.dump(2));
    return 0;
  }
  for (const auto& [what, found, remedy] : findings) {
    fmt::print("{:<14} {}\n", what, found);
    if (!remedy.empty()) fmt::print("{:<14} -> {}\n", "", remedy);
  }
  return 0;
}

}  // namespace

void add_doctor(Arguments& arguments) {
  Verb verb = arguments.add_verb("doctor", "Looks at what programs need here, with a remedy for what is wrong.");
  const auto json = std::make_shared<bool>(false);
  verb.add("--json", json.get(), "as JSON");
  verb.set_examples("Example: srun -N 1 slipway doctor    # as a compute node sees it");
  verb.set_work([json] { return doctor(*json); });
}

}  // namespace slipway::tool
