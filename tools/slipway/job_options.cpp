// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "job_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>

#include "machine_choice.hpp"
#include "origins.hpp"
#include "program_plan.hpp"
#include "slipway/base/error.hpp"
#include "slipway/base/text.hpp"
#include "slipway/observe/run_directory.hpp"
#include "slipway/slurm/amounts.hpp"

namespace slipway::tool {

namespace fs = std::filesystem;

namespace {

std::uint32_t whole_number(const std::string& name, const std::string& value) {
  std::uint32_t amount = 0;
  const auto [rest, error] = std::from_chars(value.data(), value.data() + value.size(), amount);
  if (error != std::errc() || rest != value.data() + value.size()) {
    throw UsageError("--part: " + name + " must be a whole number, not '" + value + "'");
  }
  return amount;
}

std::string file_name(const std::string& program) { return fs::path(program).filename().string(); }

}  // namespace

void JobOptions::add_to(Verb verb, Sizes sizes) {
  verb_ = verb;
  verb.takes_program();
  verb.add("--show-origin", &show_origin_, "print each option with its value and where that comes from, and stop");
  verb.add("--machine", &machine_name_, "profile of the machine; default: the one recognised, else generic");
  verb.add("--name", &name_, "of the run and of the job; default: the program's");
  if (sizes == Sizes::one) verb.add("--run-base", &run_base_, "where run directories are made; default: runs");

  const auto add = [&verb](const char* group, const char* name, auto& target, const char* meaning) {
    verb.add(name, &target, meaning, {.group = group});
  };
  const char* const size = "Size";
  if (sizes == Sizes::one) add(size, "-N,--nodes", wish_.nodes, "hosts");
  add(size, "--ranks-per-node", wish_.ranks_per_node, "ranks on each");
  add(size, "--cores-per-rank", wish_.cores_per_rank, "cores for each rank");
  add(size, "--gpus-per-node", wish_.gpus_per_node, "GPUs of each node");
  add(size, "--memory", memory_, "of each node: 4G, 1.5GiB, all");
  add(size, "-t,--time", time_, "limit: 90m, 1h30m, 2d or a form of Slurm's");
  add(size, "--node-type", wish_.node_type, "one of the machine's; default: its first");
  add(size, "--part", parts_,
      "more nodes, of another kind: nodes=3,node-type=cpu,ranks-per-node=8,cores-per-rank=2,gpus-per-node=0,"
      "memory=4G,program=./cpu-build; may be repeated");
  add(size, "--one-allocation", job_.one_allocation,
      "parts share a plain allocation of equal nodes, where the site has no heterogeneous jobs");

  const char* const where = "Account and place";
  add(where, "-A,--account", job_.account, "who pays");
  add(where, "-p,--partition", job_.partition, "");
  add(where, "-q,--qos", job_.qos, "");
  add(where, "--reservation", job_.reservation, "");
  add(where, "-C,--constraint", job_.constraint, "features of nodes");
  add(where, "-w,--nodelist", job_.node_list, "these nodes");
  add(where, "-x,--exclude", job_.exclude, "not these nodes");
  add(where, "--network", job_.network, "");
  add(where, "--distribution", job_.distribution, "of ranks over nodes and sockets");
  add(where, "--licenses", job_.licenses, "");
  add(where, "--exclusive", exclusive_, "whole nodes");

  const char* const when = "When";
  add(when, "--begin", job_.begin, "not before");
  add(when, "--deadline", job_.deadline, "not after");
  add(when, "-d,--dependency", job_.dependency, "afterok:17, singleton, …");
  if (sizes == Sizes::one) add(when, "-a,--array", job_.array, "0-99%8: a run each, in a directory each");
  add(when, "--hold", job_.hold, "submit, but let nobody start it");

  const char* const end = "Before the end";
  add(end, "--notice-margin", margin_,
      "how long before the limit the program is told; 0: never. Default: 2m, or a quarter of the time");
  add(end, "--notice-signal", job_.notice.signal, "by which it is told; default: USR1");
  add(end, "--restarts", job_.notice.most_restarts, "how often a job that stops with status 75 is requeued");
  add(end, "--requeue-on-node-failure", job_.notice.requeue_on_node_failure, "");

  const char* const more = "More";
  add(more, "--core-dumps", job_.core_dumps, "a rank that crashes leaves a core file");
  add(more, "--launcher", launcher_, "srun, mpirun or ibrun instead of the machine's");
  add(more, "--launch-option", job_.launch_options, "one more word for it; may be repeated");
  add(more, "--export", exports_, "NAME=VALUE for the program; may be repeated");
  add(more, "--prologue", prologue_file_, "file with lines for the beginning of the script (modules, …)");
  add(more, "--directive", job_.extra_directives, "one more option for sbatch, such as --switches=1; may be repeated");
  add(more, "--mail-type", job_.mail_type, "");
  add(more, "--mail-user", job_.mail_user, "");
  add(more, "--comment", job_.comment, "");
}

void JobOptions::complete() {
  command_ = verb_->program();
  const auto origins = fill_in(*verb_);
  machine_ = choose_machine(machine_name_);
  origins_ = describe_origins(*verb_, origins) + "machine profile: " + machine_.name + "\n";
  if (show_origin_) return;
  if (command_.empty()) throw UsageError("no program is given; name it after the options");
  const bool is_path = command_.front().find('/') != std::string::npos;
  if (is_path && !fs::exists(command_.front())) {
    throw UsageError("there is no program " + command_.front() + " (as seen from " + fs::current_path().string() +
                     "); build it, or correct the path");
  }
  if (const char* const account = std::getenv("SBATCH_ACCOUNT"); account && job_.account.empty())
    job_.account = account;
  if (!time_.empty()) job_.time = slurm::parse_wall_time(time_);
  job_.notice.margin = notice_margin();
  if (memory_ == "all") {
    job_.node_sets.front().all_memory = true;
  } else if (!memory_.empty()) {
    wish_.memory_mib = slurm::parse_memory_mib(memory_);
  }
  if (!launcher_.empty()) job_.launcher = launcher_;
  if (exclusive_) job_.exclusive = true;
  for (const auto& variable : exports_) {
    const std::size_t equals = variable.find('=');
    if (equals == std::string::npos) throw UsageError("--export " + variable + " has no value; write NAME=VALUE");
    job_.environment[variable.substr(0, equals)] = variable.substr(equals + 1);
  }
  if (!prologue_file_.empty()) {
    const auto text = read_file(prologue_file_);
    if (!text) throw UsageError("the prologue " + prologue_file_ + " cannot be read; correct the path");
    job_.prologue = *text;
  }
}

std::chrono::seconds JobOptions::notice_margin() const {
  if (margin_ == "0") return std::chrono::seconds(0);
  if (!margin_.empty()) return slurm::parse_wall_time(margin_);
  constexpr std::chrono::seconds enough = std::chrono::minutes(2);
  return job_.time.count() > 0 ? std::min(enough, job_.time / 4) : enough;
}

JobOptions JobOptions::at_size(std::uint32_t nodes, std::vector<std::string> command) const {
  JobOptions sized = *this;
  sized.wish_.nodes = nodes;
  sized.command_ = std::move(command);
  return sized;
}

std::string JobOptions::run_name() const { return name_.empty() ? file_name(command_.front()) : name_; }

// On so many nodes of the machine; on one that holds anything, where their number is still to be found, or the profile
// knows no numbers.
slurm::Demand JobOptions::demand_on(std::optional<std::uint32_t> nodes) const {
  const slurm::NodeType& type = machine_.node_type(wish_.node_type);
  constexpr std::uint32_t plenty = 4096;
  const bool known = nodes && type.usable_cores > 0;
  const std::string hosts = fmt::format("--slipway-plan-on={}x{}x{}", std::max(nodes.value_or(1), 1u),
                                        known ? type.usable_cores : plenty, known ? type.gpus : plenty);
  return slurm::demand_of_plan(plan_of(command_, {"--slipway-plan=json", hosts}));
}

slurm::Layout JobOptions::layout() const {
  slurm::LayoutWish wish = wish_;
  wish.partition = job_.partition;
  wish.qos = job_.qos;
  slurm::Demand demand;
  if (!wish.ranks_per_node) demand = demand_on(wish.nodes);
  slurm::Layout layout = slurm::layout_for(demand, wish, machine_);
  if (!wish.ranks_per_node && !wish.nodes) {  // now that their number is known
    layout = slurm::layout_for(demand_on(layout.nodes.nodes), wish, machine_);
  }
  layout.nodes.all_memory = job_.node_sets.front().all_memory;
  return layout;
}

slurm::NodeSet JobOptions::parse_part(const std::string& text) {
  const std::vector<std::string> names{"nodes",         "node-type", "ranks-per-node", "cores-per-rank",
                                       "gpus-per-node", "memory",    "program"};
  slurm::NodeSet part;
  for (const std::string_view pair : split(text, ',')) {
    const std::size_t equals = std::min(pair.find('='), pair.size());
    const std::string name(pair.substr(0, equals));
    const std::string value(equals < pair.size() ? pair.substr(equals + 1) : "");
    if (name == "nodes")
      part.nodes = whole_number(name, value);
    else if (name == "node-type")
      part.node_type = value;
    else if (name == "ranks-per-node")
      part.ranks_per_node = whole_number(name, value);
    else if (name == "cores-per-rank")
      part.cores_per_rank = whole_number(name, value);
    else if (name == "gpus-per-node")
      part.gpus_per_node = whole_number(name, value);
    else if (name == "memory")
      part.memory_mib = slurm::parse_memory_mib(value);
    else if (name == "program")
      part.program = {value};
    else
      throw UsageError("--part has no '" + name + "' (did you mean '" + nearest(name, names) + "'?)");
  }
  return part;
}

slurm::JobSpec JobOptions::job(const slurm::Layout& layout) const {
  slurm::JobSpec job = job_;
  job.name = run_name();
  job.node_sets = {layout.nodes};
  for (const auto& part : parts_) job.node_sets.push_back(parse_part(part));
  job.command = command_;
  job.working_directory = fs::current_path().string();
  return job;
}

}  // namespace slipway::tool
