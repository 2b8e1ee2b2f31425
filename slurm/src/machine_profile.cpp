// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/slurm/machine_profile.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "slipway/base/error.hpp"
#include "slipway/base/text.hpp"
#include "slipway/observe/run_directory.hpp"
#include "slipway/slurm/amounts.hpp"
#include "strict_json.hpp"

namespace slipway::slurm {

namespace {

using Json = nlohmann::ordered_json;
template <class Enum>
using Choice = std::pair<std::string_view, Enum>;

constexpr Choice<Need> needs[] = {{"never", Need::never}, {"optional", Need::optional}, {"required", Need::required}};
constexpr Choice<GpuRequest> gpu_requests[] = {{"none", GpuRequest::none},
                                               {"gpus-per-node", GpuRequest::gpus_per_node},
                                               {"gres", GpuRequest::gres},
                                               {"gpus-per-task", GpuRequest::gpus_per_task},
                                               {"gpus", GpuRequest::gpus}};
constexpr Choice<MemoryRequest> memory_requests[] = {
    {"omit", MemoryRequest::omit}, {"all", MemoryRequest::all}, {"explicit", MemoryRequest::explicit_amount}};
constexpr Choice<MemoryRequest> memory_requests_of_queues[] = {{"omit", MemoryRequest::omit},
                                                               {"all", MemoryRequest::all},
                                                               {"explicit", MemoryRequest::explicit_amount},
                                                               {"per-core", MemoryRequest::per_core},
                                                               {"never", MemoryRequest::never}};
constexpr Choice<Exclusive> exclusives[] = {{"by-site", Exclusive::by_site},
                                            {"option", Exclusive::option},
                                            {"always-ask", Exclusive::always_ask},
                                            {"impossible", Exclusive::impossible}};
constexpr Choice<Launcher> launchers[] = {
    {"srun", Launcher::srun}, {"mpirun", Launcher::mpirun}, {"ibrun", Launcher::ibrun}};
constexpr Choice<CpuUnit> cpu_units[] = {{"core", CpuUnit::core}, {"thread", CpuUnit::thread}};
constexpr Choice<HetJobs> het_jobs[] = {{"works", HetJobs::works}, {"unsure", HetJobs::unsure}, {"no", HetJobs::no}};

template <class Enum, std::size_t Count>
std::string_view name_of(Enum value, const Choice<Enum> (&choices)[Count]) {
  for (const auto& [name, meaning] : choices) {
    if (meaning == value) return name;
  }
  return "?";
}

constexpr std::uint32_t schema_version = 1;

std::vector<std::string> names_of(const std::vector<MachineFile>& machines) {
  std::vector<std::string> names;
  for (const auto& machine : machines) names.push_back(machine.name);
  return names;
}

[[noreturn]] void refuse_unknown_machine(std::string_view name, const MachinePath& path) {
  std::string directories;
  for (const auto& directory : path.directories) directories += "\n  " + directory.string();
  const auto names = names_of(find_machines(path));
  if (names.empty()) throw UsageError("there is no machine profile at all; looked for NAME.json in:" + directories);
  std::string list;
  for (const auto& known : names) list.append(list.empty() ? "" : ", ").append(known);
  throw UsageError("there is no machine '" + std::string(name) + "' (did you mean '" + nearest(name, names) +
                   "'?); known are " + list + "; looked for NAME.json in:" + directories);
}

nlohmann::json read_json(const std::filesystem::path& file) {
  const auto text = read_file(file);
  if (!text) throw UsageError(file.string() + " cannot be read (as a machine profile); look at its permissions");
  try {
    auto json = nlohmann::json::parse(*text);
    if (!json.is_object()) throw UsageError(file.string() + " is no JSON object; see docs/machines.md");
    return json;
  } catch (const nlohmann::json::parse_error& error) {
    throw UsageError(file.string() + " is not JSON (" + error.what() + "); correct it, see docs/machines.md");
  }
}

// The file, laid over the files that it inherits (JSON merge patch, RFC 7396: null takes a field away).
nlohmann::json merged(const std::string& name, const MachinePath& path, std::vector<std::string> heirs) {
  if (std::find(heirs.begin(), heirs.end(), name) != heirs.end()) {
    throw UsageError("the machine profile '" + name + "' inherits itself (by way of '" + heirs.back() +
                     "'); take one \"inherits\" away");
  }
  const auto machines = find_machines(path);
  const auto found =
      std::find_if(machines.begin(), machines.end(), [&](const auto& file) { return file.name == name; });
  if (found == machines.end()) refuse_unknown_machine(name, path);
  nlohmann::json own = read_json(found->file);
  heirs.push_back(name);
  nlohmann::json whole = nlohmann::json::object();
  if (const auto parent = own.find("inherits"); parent != own.end()) {
    if (!parent->is_string()) throw UsageError(found->file.string() + ": \"inherits\" must be the name of a machine");
    whole = merged(parent->get<std::string>(), path, heirs);
    for (const char* const personal : {"detect", "sources", "unsure", "notes", "description"}) whole.erase(personal);
    own.erase("inherits");
  }
  whole.merge_patch(own);
  return whole;
}

std::chrono::seconds time_of(const StrictObject& object, const char* field, const std::string& text) {
  if (text.empty()) return {};
  try {
    return parse_wall_time(text);
  } catch (const UsageError& error) {
    object.refuse(field, error.what());
  }
}

std::vector<TimeBin> read_time_bins(StrictObject& queue) {
  std::vector<TimeBin> bins;
  queue.read_objects("time_by_nodes", [&](StrictObject& object) {
    TimeBin bin;
    std::string most_time;
    object.read("most_nodes", bin.most_nodes);
    object.read("most_time", most_time);
    bin.most_time = time_of(object, "most_time", most_time);
    if (bin.most_time.count() == 0) object.refuse("most_time", "it is missing");
    const bool ascends = bins.empty() || bin.most_nodes == 0 || bin.most_nodes > bins.back().most_nodes;
    const bool behind_all = !bins.empty() && bins.back().most_nodes == 0;
    if (!ascends || behind_all) object.refuse("most_nodes", "it must ascend, and only the last may have none");
    bins.push_back(bin);
  });
  return bins;
}

void read_memory(StrictObject& object, Queue& queue) {
  MemoryRequest request{};
  std::uint32_t per_core = 0;
  const bool given = object.read("memory", request, memory_requests_of_queues);
  object.read("memory_mib_per_core", per_core);
  if (given) queue.memory = request;
  queue.memory_mib_per_core = per_core;
  const bool by_core = queue.memory == MemoryRequest::per_core || queue.memory == MemoryRequest::never;
  if (queue.memory == MemoryRequest::per_core && per_core == 0)
    object.refuse("memory_mib_per_core", "it is missing: \"memory\" is \"per-core\"");
  if (per_core > 0 && !by_core)
    object.refuse("memory_mib_per_core", "it belongs to \"memory\": \"per-core\" or \"never\"");
}

Queue read_queue(StrictObject& object) {
  Queue queue;
  std::string most_time;
  object.read("name", queue.name);
  object.read("most_time", most_time);
  object.read("most_nodes", queue.most_nodes);
  queue.time_by_nodes = read_time_bins(object);
  object.read("default", queue.is_default);
  read_memory(object, queue);
  object.read("note", queue.note);
  queue.most_time = time_of(object, "most_time", most_time);
  if (queue.name.empty()) object.refuse("name", "it is missing");
  if (queue.most_time.count() > 0 && !queue.time_by_nodes.empty())
    object.refuse("most_time", "\"time_by_nodes\" says it already");
  return queue;
}

std::vector<Queue> read_queues(StrictObject& machine, const char* field) {
  std::vector<Queue> queues;
  machine.read_objects(field, [&](StrictObject& object) { queues.push_back(read_queue(object)); });
  const auto is_default = [](const Queue& queue) { return queue.is_default; };
  if (std::count_if(queues.begin(), queues.end(), is_default) > 1) machine.refuse(field, "two of them are the default");
  return queues;
}

NodeType read_node_type(StrictObject& object) {
  NodeType type;
  object.read("name", type.name);
  object.read("description", type.description);
  object.read("partition", type.partition);
  object.read("qos", type.qos);
  object.read("constraint", type.constraint);
  object.read("account_suffix", type.account_suffix);
  object.read("cores", type.cores);
  type.usable_cores = type.cores;
  object.read("usable_cores", type.usable_cores);
  object.read("threads_per_core", type.threads_per_core);
  std::uint32_t memory = 0;
  object.read("memory_mib", memory);
  type.memory_mib = memory;
  object.read("gpus", type.gpus);
  object.read("cores_per_gpu", type.cores_per_gpu);
  object.read("cores_of_gpu", type.cores_of_gpu);
  object.read("environment", type.environment);
  if (type.name.empty()) object.refuse("name", "it is missing");
  if (type.usable_cores > type.cores) object.refuse("usable_cores", "it is more than \"cores\"");
  if (type.threads_per_core == 0) object.refuse("threads_per_core", "it must be 1 or more");
  if (!type.cores_of_gpu.empty() && type.cores_of_gpu.size() != type.gpus) {
    object.refuse("cores_of_gpu", "it must have an entry for each of \"gpus\"");
  }
  return type;
}

MachineProfile read_profile(const std::string& name, const nlohmann::json& json) {
  StrictObject object(json, "machine '" + name + "'");
  MachineProfile machine;
  machine.name = name;
  std::uint32_t schema = 0;
  object.read("schema", schema);
  if (schema != schema_version) object.refuse("schema", "this slipway reads schema 1");
  object.read("description", machine.description);
  object.read("detect", machine.detect);
  object.read("account", machine.account, needs);
  object.read("partition", machine.partition, needs);
  object.read("qos", machine.qos, needs);
  object.read("constraint", machine.constraint, needs);
  object.read("time", machine.time, needs);
  object.read("forbidden", machine.forbidden);
  machine.partitions = read_queues(object, "partitions");
  machine.qualities = read_queues(object, "qualities");
  object.read_objects("node_types", [&](StrictObject& type) { machine.node_types.push_back(read_node_type(type)); });
  object.read("cpu_unit", machine.cpu_unit, cpu_units);
  object.read("cpus_per_task", machine.cpus_per_task);
  object.read("memory", machine.memory, memory_requests);
  object.read("gpu_request", machine.gpu_request, gpu_requests);
  object.read("gpu_bind", machine.gpu_bind);
  object.read("cpu_bind", machine.cpu_bind);
  object.read("hint", machine.hint);
  object.read("exclusive", machine.exclusive, exclusives);
  object.read("launcher", machine.launcher, launchers);
  object.read("mpi", machine.mpi);
  object.read("launch_options", machine.launch_options);
  object.read("environment", machine.environment);
  object.read("het_jobs", machine.het_jobs, het_jobs);
  object.read("prologue", machine.prologue);
  object.read("notes", machine.notes);
  object.read("sources", machine.sources);
  object.read("unsure", machine.unsure);
  object.refuse_unknown();
  if (!machine.hint.empty() && !machine.cpu_bind.empty())
    object.refuse("hint", "Slurm takes no hint beside a cpu_bind");
  if (machine.node_types.empty()) object.refuse("node_types", "there must be at least one");
  return machine;
}

Json to_json(const std::vector<Queue>& queues) {
  Json list = Json::array();
  for (const auto& queue : queues) {
    Json object{{"name", queue.name}};
    if (queue.most_time.count() > 0) object["most_time"] = format_wall_time(queue.most_time);
    if (queue.most_nodes > 0) object["most_nodes"] = queue.most_nodes;
    for (const auto& bin : queue.time_by_nodes) {
      Json entry = Json::object();
      if (bin.most_nodes > 0) entry["most_nodes"] = bin.most_nodes;
      entry["most_time"] = format_wall_time(bin.most_time);
      object["time_by_nodes"].push_back(std::move(entry));
    }
    if (queue.is_default) object["default"] = true;
    if (queue.memory) object["memory"] = to_string(*queue.memory);
    if (queue.memory_mib_per_core > 0) object["memory_mib_per_core"] = queue.memory_mib_per_core;
    if (!queue.note.empty()) object["note"] = queue.note;
    list.push_back(std::move(object));
  }
  return list;
}

Json to_json(const NodeType& type) {
  Json object{{"name", type.name}};
  const auto add_text = [&object](const char* name, const std::string& text) {
    if (!text.empty()) object[name] = text;
  };
  const auto add_number = [&object](const char* name, std::uint64_t number) {
    if (number > 0) object[name] = number;
  };
  add_text("description", type.description);
  add_text("partition", type.partition);
  add_text("qos", type.qos);
  add_text("constraint", type.constraint);
  add_text("account_suffix", type.account_suffix);
  add_number("cores", type.cores);
  add_number("usable_cores", type.usable_cores);
  add_number("threads_per_core", type.threads_per_core);
  add_number("memory_mib", type.memory_mib);
  add_number("gpus", type.gpus);
  add_number("cores_per_gpu", type.cores_per_gpu);
  if (!type.cores_of_gpu.empty()) object["cores_of_gpu"] = type.cores_of_gpu;
  if (!type.environment.empty()) object["environment"] = type.environment;
  return object;
}

}  // namespace

const NodeType& MachineProfile::node_type(std::string_view wanted) const {
  if (wanted.empty()) return node_types.front();
  std::string names;
  for (const auto& type : node_types) {
    if (type.name == wanted) return type;
    names.append(names.empty() ? "" : ", ").append(type.name);
  }
  throw UsageError("machine '" + name + "' has no nodes of type '" + std::string(wanted) + "'; it has " + names);
}

bool MachineProfile::is_unsure_of(std::string_view field) const {
  return std::any_of(unsure.begin(), unsure.end(), [field](const auto& entry) {
    const std::string& whole = entry.first;
    return field.starts_with(whole) && (field.size() == whole.size() || field[whole.size()] == '.');
  });
}

MachineProfile load_machine(std::string_view name, const MachinePath& path) {
  const std::string wanted(name);
  return read_profile(wanted, merged(wanted, path, {}));
}

std::optional<std::string> detect_machine(const MachinePath& path,
                                          const std::function<const char*(const char*)>& environment) {
  std::optional<std::string> best;
  std::size_t best_signs = 0;
  for (const auto& [name, file] : find_machines(path)) {
    const auto machine = load_machine(name, path);
    const bool holds = std::all_of(machine.detect.begin(), machine.detect.end(), [&](const auto& sign) {
      const char* const value = environment(sign.first.c_str());
      return value && sign.second == value;
    });
    if (holds && machine.detect.size() > best_signs) {
      best = name;
      best_signs = machine.detect.size();
    }
  }
  return best;
}

std::string to_json(const MachineProfile& machine) {
  Json types = Json::array();
  for (const auto& type : machine.node_types) types.push_back(to_json(type));
  const Json json{{"schema", schema_version},
                  {"description", machine.description},
                  {"detect", machine.detect},
                  {"account", to_string(machine.account)},
                  {"partition", to_string(machine.partition)},
                  {"qos", to_string(machine.qos)},
                  {"constraint", to_string(machine.constraint)},
                  {"time", to_string(machine.time)},
                  {"forbidden", machine.forbidden},
                  {"partitions", to_json(machine.partitions)},
                  {"qualities", to_json(machine.qualities)},
                  {"node_types", std::move(types)},
                  {"cpu_unit", to_string(machine.cpu_unit)},
                  {"cpus_per_task", machine.cpus_per_task},
                  {"memory", to_string(machine.memory)},
                  {"gpu_request", to_string(machine.gpu_request)},
                  {"gpu_bind", machine.gpu_bind},
                  {"cpu_bind", machine.cpu_bind},
                  {"hint", machine.hint},
                  {"exclusive", to_string(machine.exclusive)},
                  {"launcher", to_string(machine.launcher)},
                  {"mpi", machine.mpi},
                  {"launch_options", machine.launch_options},
                  {"environment", machine.environment},
                  {"het_jobs", to_string(machine.het_jobs)},
                  {"prologue", machine.prologue},
                  {"notes", machine.notes},
                  {"sources", machine.sources},
                  {"unsure", machine.unsure}};
  return json.dump(2) + "\n";
}

std::string_view to_string(Need value) { return name_of(value, needs); }
std::string_view to_string(GpuRequest value) { return name_of(value, gpu_requests); }
std::string_view to_string(MemoryRequest value) { return name_of(value, memory_requests_of_queues); }
std::string_view to_string(Exclusive value) { return name_of(value, exclusives); }
std::string_view to_string(Launcher value) { return name_of(value, launchers); }
std::string_view to_string(CpuUnit value) { return name_of(value, cpu_units); }
std::string_view to_string(HetJobs value) { return name_of(value, het_jobs); }

}  // namespace slipway::slurm
