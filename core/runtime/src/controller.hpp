// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "control.hpp"
#include "slipway/observe/log.hpp"
#include "slipway/observe/report.hpp"
#include "slipway/observe/status.hpp"
#include "slipway/observe/terminal.hpp"
#include "slipway/observe/work.hpp"
#include "slipway/runtime/options.hpp"
#include "slipway/runtime/program.hpp"
#include "slipway/state/saved_state.hpp"

namespace slipway::detail {

struct ControllerSetup {
  const Program* program = nullptr;
  const Settings* settings = nullptr;
  std::uint32_t ranks = 1;
  std::uint32_t levels = 1;  // of destruction
  RankId rank;
  std::string host;
  RunDirectory directory;
  std::uint32_t saved_state = 0;  // number of the newest that is complete; 0: none
  Log* log = nullptr;
  bool show_end = true;
  seam::Time launched = seam::now();              // the start of the process, where it is the run's own
  bool has_body = false;                          // of the test kit: the program does not end before it asks to
  std::function<void(const Control&)> broadcast;  // to all ranks, this one included
};

// Starts, watches and ends the program: a state machine fed by the reports of all ranks.
//
//   constructing --all constructed--> running --all workers returned, or stop--> stopping --all ranks returned-->
//   running --notice--> noticing --all hooks have run--> stopping
//   running --save--> running, and a state is saved meanwhile
//   draining --quiet twice--> destroying --level by level--> ended
//   any --failure, or a step's limit--> aborted
class Controller {
 public:
  explicit Controller(ControllerSetup setup);

  void on(RankId from, const Control& control);
  // Limits of steps, the heartbeat, requests to stop from outside.
  void tick(seam::Time now);
  struct Stop {
    std::string reason;
    ExitStatus status = ExitStatus::good;
    bool finished = false;  // the program wants no other attempt
    bool now = false;       // waits in run() end, too
    bool by_itself = false; // nobody asked for it: tasks that have been submitted are still run
  };
  void stop(const Stop& stop);
  // The end of the job is near. Once; waits until the nodes are constructed.
  void notice(const std::string& reason);
  // All nodes save, and the program goes on. See Context::save.
  void save(const std::string& reason);
  // The first one wins: it is printed, recorded, and ends the run.
  void fail(const FirstFailure& failure);
  void rank_lost(RankId rank, const std::string& reason, const std::string& host);
  std::string failure() const;
  void say(LogLevel level, const std::string& text) { terminal_.message(level, text); }
  // The record is closed: after this nothing is printed.
  void close(ExitStatus status);

 private:
  // As a rank last told it, and when that was so.
  struct RankWork {
    Work work;
    seam::Time told = 0;
  };
  enum class State : std::uint8_t { constructing, running, noticing, stopping, draining, destroying, ended, aborted };

  void enter(State state);
  void next_drain_round();
  void next_level(std::uint32_t level);
  void end_notice();
  void step_took_too_long();
  void look_for_requests(seam::Time now);
  bool may_stop() const;
  void begin_save(const std::string& reason);
  void begin_next_save();
  void take_saved(RankId from, const Control& control);
  void end_save();
  void give_up_save(const std::string& why);
  void look_after_save(seam::Time now);
  void look_for_save_request();
  std::uint32_t next_state_number();
  bool complete_state(std::uint32_t number, const std::vector<SavedPart>& parts);
  static void add_parts(const std::string& text, std::vector<SavedPart>& parts);
  void note(const std::string& text);  // in the log
  void end();
  static std::string ranks_without(const std::vector<bool>& answered);
  RunProgress progress() const;
  Work work() const;
  Work sampled_work() const;
  void complete_report();

  const ControllerSetup setup_;
  Terminal terminal_;
  StatusFile status_;
  State state_ = State::constructing;
  seam::Time step_deadline_ = seam::never;
  bool waits_ended_ = false;
  std::vector<bool> answered_;  // ranks that have reported in this step
  std::uint32_t answers_ = 0;
  std::uint32_t workers_left_ = 0;
  std::uint32_t workers_ = 0;
  ExitStatus exit_status_ = ExitStatus::good;
  std::uint32_t drain_round_ = 0;
  bool round_quiet_ = true;
  std::uint64_t round_handled_ = 0;
  std::uint64_t last_handled_ = 0;
  bool runs_tasks_out_ = false;  // nobody has asked to stop: while tasks are under way, the drain has no limit
  bool round_has_tasks_ = false;
  bool last_quiet_ = false;
  std::uint32_t level_ = 0;
  std::vector<std::uint64_t> handled_;  // by rank, as last reported
  std::vector<RankWork> work_of_rank_;
  const WorkLog work_log_;
  std::string progress_text_;
  std::uint64_t progress_number_ = 0;
  std::optional<std::string> notice_;  // its reason, once given
  std::uint32_t state_number_ = 0;     // of the last state that was begun
  std::vector<SavedPart> saved_parts_;
  // On request, while the program runs or stops.
  struct Save {
    std::uint32_t number = 0;
    std::string reason{};
    std::vector<bool> answered{};
    std::uint32_t answers = 0;
    std::vector<SavedPart> parts{};
    seam::Time began = 0;
    bool told = false;  // that it takes long
  };
  std::optional<Save> save_;
  std::optional<std::string> next_save_;  // asked for meanwhile, or before the start
  Report report_;
  seam::Time began_ = seam::now();
  std::optional<seam::Time> workers_began_{};
  std::optional<seam::Time> stop_began_{};
  seam::Time next_beat_ = 0;
  seam::Time next_look_ = 0;
};

}  // namespace slipway::detail
