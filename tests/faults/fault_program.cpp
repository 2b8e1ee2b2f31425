// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <map>
#include <slipway/slipway.hpp>
#include <stdexcept>
#include <string>

// Commits a fault at a place, for check_faults.py and check_lifecycle.py:
//   fault_program --fault none|exception|exit|abort|segv|kill
//                 --place run|get|handler|loop|constructor|stop|destructor|after [--victim RANK] [--mark FILE]
//                 [--graph good|duplicate|undefined|differs|throws|exits]
// Three nodes on three ranks: "victim" (or "victim_service", where the place is a handler) commits the fault, "peer" is
// in a wait or in a loop meanwhile, "holder" answers no call until the program ends. Without a fault all wait for the
// stop.
namespace {

struct Plan {
  std::string fault = "none";
  std::string place = "run";
  std::string graph = "good";
  std::string mark;
  std::uint32_t victim = 1;
};

Plan plan;
volatile int* volatile nowhere = nullptr;
volatile std::uint64_t spins = 0;

std::int64_t wall_nanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// From the moment in the mark, the whole program has its five seconds. A segmentation fault is the system's to find,
// not the undefined-behaviour sanitizer's.
__attribute__((no_sanitize("undefined"))) void commit_fault() {
  if (plan.fault == "none") return;
  if (!plan.mark.empty()) std::ofstream(plan.mark) << wall_nanoseconds() << "\n";
  if (plan.fault == "exception") throw std::domain_error("the fault that was asked for");
  if (plan.fault == "exit") exit(3);
  if (plan.fault == "abort") abort();
  if (plan.fault == "segv") *nowhere = 1;
  if (plan.fault == "kill") kill(getpid(), SIGKILL);
  for (;;) pause();  // SIGKILL comes between two instructions
}

void commit_fault_at(const char* place) {
  if (plan.place == place) commit_fault();
}

// Lets the others get to where they should be.
void settle(const slipway::Context& context) { context.sleep_for(std::chrono::milliseconds(300)); }

void wait_for_stop(const slipway::Context& context) {
  while (context.sleep_for(std::chrono::hours(1))) {
  }
}

struct Holder {
  slipway::Context& context;

  void hold() { wait_for_stop(context); }
};

struct VictimService {
  void act() { commit_fault(); }
  void hold() {
    for (;;) pause();
  }
};

class Victim {
 public:
  Victim(slipway::Context& context, slipway::Handle<VictimService> service) : service_(service) {
    if (plan.place == "constructor") {
      settle(context);
      commit_fault();
    }
  }
  ~Victim() noexcept(false) { commit_fault_at("destructor"); }

  void run(slipway::Context& context) {
    settle(context);
    if (plan.place == "stop") context.stop("the fault is to come at the stop");
    if (plan.place == "after") return;
    const bool waits = plan.fault == "none" || plan.place == "stop" || plan.place == "handler";
    if (waits) wait_for_stop(context);
    if (plan.place != "handler" && plan.place != "destructor") commit_fault();
  }

 private:
  slipway::Handle<VictimService> service_;
};

struct Peer {
  slipway::Handle<VictimService> victim_service;
  slipway::Handle<Holder> holder;

  void run(slipway::Context& context) {
    if (plan.place == "get") {
      victim_service.get<&VictimService::hold>();  // on the rank that fails
    } else if (plan.place == "run") {
      holder.get<&Holder::hold>();  // on a rank that does not
    } else if (plan.place == "handler") {
      settle(context);
      victim_service.get<&VictimService::act>();
    } else if (plan.place == "loop") {
      for (;;) spins = spins + 1;
    }
  }
};

Plan read_flags(int argc, char** argv) {
  std::map<std::string, std::string> flags;
  for (int i = 1; i + 1 < argc; i += 2) flags[argv[i]] = argv[i + 1];
  Plan read;
  for (const auto& [name, value] : flags) {
    if (name == "--fault") {
      read.fault = value;
    } else if (name == "--graph") {
      read.graph = value;
    } else if (name == "--place") {
      read.place = value;
    } else if (name == "--mark") {
      read.mark = value;
    } else if (name == "--victim") {
      read.victim = static_cast<std::uint32_t>(std::stoul(value));
    } else {
      throw std::runtime_error("there is no flag " + name);
    }
  }
  return read;
}

slipway::NodeOptions on_rank(std::uint32_t rank) { return {.wishes = {.on_rank = slipway::RankId(rank % 3)}}; }

// Of this process, as its mpirun says; nothing in one that mpirun has not started.
std::string rank_by_environment() {
  for (const char* variable : {"OMPI_COMM_WORLD_RANK", "PMI_RANK"}) {
    if (const char* const rank = getenv(variable)) return rank;
  }
  return {};
}

// What a program must not do, as asked for by --graph.
void spoil(slipway::Program& program) {
  if (plan.graph == "duplicate") program.node<VictimService>("holder");
  if (plan.graph == "undefined") program.declare<VictimService>("never_defined");
  if (plan.graph == "throws" && rank_by_environment() == "2") throw std::domain_error("the graph cannot be built here");
  if (plan.graph == "exits" && rank_by_environment() == "2") exit(0);
  if (plan.graph == "differs" && rank_by_environment() == "2") program.node<VictimService>("only_on_rank_2");
}

int run_program(int argc, char** argv) {
  const slipway::Options options(argc, argv);
  plan = read_flags(argc, argv);
  slipway::Program program("fault_program");
  spoil(program);
  const auto service = program.with(on_rank(plan.victim)).node<VictimService>("victim_service");
  const auto holder = program.with(on_rank(plan.victim + 1)).node<Holder>("holder");
  program.with(on_rank(plan.victim)).node<Victim>("victim", service);
  program.with(on_rank(plan.victim + 2)).node<Peer>("peer", service, holder);
  const int status = slipway::launch(program, options);
  if (plan.place == "after" && rank_by_environment() == std::to_string(plan.victim)) commit_fault();
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run_program(argc, argv);
  } catch (const slipway::UsageError& error) {
    std::cerr << error.what() << "\n";
    return 2;
  }
}
