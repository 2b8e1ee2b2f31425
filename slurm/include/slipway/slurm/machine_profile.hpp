// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// What a site wants to see in a job. A profile is a JSON file; docs/machines.md describes its fields, which are these.
namespace slipway::slurm {

enum class Need : std::uint8_t { never, optional, required };
enum class GpuRequest : std::uint8_t { none, gpus_per_node, gres, gpus_per_task, gpus };
enum class MemoryRequest : std::uint8_t { omit, all, explicit_amount, per_core, never };
enum class Exclusive : std::uint8_t { by_site, option, always_ask, impossible };
enum class Launcher : std::uint8_t { srun, mpirun, ibrun };
enum class CpuUnit : std::uint8_t { core, thread };
enum class HetJobs : std::uint8_t { works, unsure, no };

// How long jobs on up to so many nodes may run.
struct TimeBin {
  std::uint32_t most_nodes = 0;  // 0: any number
  std::chrono::seconds most_time{};
};

// A partition or a quality of service, whichever the site has. Limits are the site's when the profile was written:
// passing one is a warning, but for `time_by_nodes`, which refuses unless the profile is unsure of it.
struct Queue {
  std::string name{};
  std::chrono::seconds most_time{};       // 0: unknown
  std::uint32_t most_nodes = 0;           // 0: unknown
  std::vector<TimeBin> time_by_nodes{};   // by ascending nodes; empty: the time does not depend on them
  bool is_default = false;                // of jobs that name none
  std::optional<MemoryRequest> memory{};  // instead of the machine's
  std::uint64_t memory_mib_per_core = 0;  // with per_core, what is asked for; with never, what comes; 0: unknown
  std::string note{};
};

// Nodes of one kind. What a job needs of it goes into the script.
struct NodeType {
  std::string name{};
  std::string description{};
  std::string partition{};
  std::string qos{};
  std::string constraint{};
  std::string account_suffix{};  // jobs on these nodes are charged to ACCOUNT + suffix
  std::uint32_t cores = 0;       // a node; 0: unknown
  std::uint32_t usable_cores = 0;
  std::uint32_t threads_per_core = 1;
  std::uint64_t memory_mib = 0;             // that a job may use
  std::uint32_t gpus = 0;                   // a node, as Slurm counts them
  std::uint32_t cores_per_gpu = 0;          // that a job must ask for with each GPU; 0: no such rule
  std::vector<std::string> cores_of_gpu{};  // "48-63", by the number of the GPU; empty: unknown
  std::map<std::string, std::string> environment{};
};

struct MachineProfile {
  std::string name{};
  std::string description{};
  std::map<std::string, std::string> detect{};  // all of these variables have these values on the machine
  Need account = Need::optional;
  Need partition = Need::optional;
  Need qos = Need::optional;
  Need constraint = Need::optional;
  Need time = Need::optional;
  std::map<std::string, std::string> forbidden{};  // option of sbatch, without dashes → why
  std::vector<Queue> partitions{};
  std::vector<Queue> qualities{};
  std::vector<NodeType> node_types{};  // the first is the default; at least one
  CpuUnit cpu_unit = CpuUnit::core;
  bool cpus_per_task = true;  // false: the launcher pins by itself, the option is left out
  MemoryRequest memory = MemoryRequest::omit;
  GpuRequest gpu_request = GpuRequest::gpus_per_node;
  std::string gpu_bind{};  // of srun; empty: no option
  std::string cpu_bind{};
  std::string hint{};
  Exclusive exclusive = Exclusive::option;
  Launcher launcher = Launcher::srun;
  std::string mpi{};  // of srun --mpi; empty: no option
  std::vector<std::string> launch_options{};
  std::map<std::string, std::string> environment{};
  HetJobs het_jobs = HetJobs::unsure;            // no: several node sets get one plain allocation
  std::vector<std::string> prologue{};           // lines for the script, commented out: hints such as modules to load
  std::vector<std::string> notes{};              // for people; shown in the script's header
  std::map<std::string, std::string> sources{};  // field → where the fact comes from
  std::map<std::string, std::string> unsure{};   // field → why nobody should rely on it

  // Whether `unsure` has the field, "partitions.batch.most_time", or something that it is a part of.
  bool is_unsure_of(std::string_view field) const;

  // The first when no name is given. Throws UsageError that lists the names.
  const NodeType& node_type(std::string_view wanted) const;
};

// Where profiles are looked for, best first. Later files of the same name are hidden by earlier ones.
struct MachinePath {
  std::vector<std::filesystem::path> directories{};
};

// SLIPWAY_MACHINE_PATH (separated by ':'), .slipway/machines under the current directory,
// $XDG_CONFIG_HOME/slipway/machines (else ~/.config/…), and `shipped`.
MachinePath machine_path(const std::function<const char*(const char*)>& environment,
                         const std::filesystem::path& current_directory, const std::filesystem::path& shipped);

struct MachineFile {
  std::string name;
  std::filesystem::path file;
};

// Each name once, sorted.
std::vector<MachineFile> find_machines(const MachinePath& path);

// Reads NAME.json and what it inherits. Throws UsageError: no such machine (names the nearest), not JSON, an unknown
// or wrong field (file, field, what it must be), a circle of inheritance.
MachineProfile load_machine(std::string_view name, const MachinePath& path);

// The machine whose `detect` holds here; nothing when none does. The most detailed one where several do.
std::optional<std::string> detect_machine(const MachinePath& path,
                                          const std::function<const char*(const char*)>& environment);

// The merged profile, for people and tools: what `slipway machines show` prints.
std::string to_json(const MachineProfile& machine);

std::string_view to_string(Need value);
std::string_view to_string(GpuRequest value);
std::string_view to_string(MemoryRequest value);
std::string_view to_string(Exclusive value);
std::string_view to_string(Launcher value);
std::string_view to_string(CpuUnit value);
std::string_view to_string(HetJobs value);

}  // namespace slipway::slurm
