// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "control.hpp"
#include "controller.hpp"
#include "node_host.hpp"
#include "slipway/runtime/rank_runtime.hpp"
#include "slipway/tasks/task_system.hpp"
#include "start_agreement.hpp"

namespace slipway::detail {

// The life of a rank, told by its main thread: events come in, one step follows another.
class RankRuntime {
 public:
  explicit RankRuntime(const RankSetup& setup);
  ~RankRuntime();

  RankResult run();
  // After an exception out of `run`.
  void leave_without_end(const std::exception& error);

 private:
  RankResult print_plan();
  void open_log();
  void show_own_gpus();
  void wait_for_debugger() const;
  void start_endpoint();
  enum class Traces : std::uint8_t { when_due, now };
  void write_traces(Traces when);
  void tell_strayed_waits();
  void construct_nodes();
  void handle(const Event& event);
  void handle_own(const Control& control);
  void start_workers();
  void start_body();
  void begin_notice(const Control& control);
  void report_noticed(const std::string& saved);
  void begin_save(const Control& control);
  void report_saved(const Control& own);
  void begin_stop(const std::string& reason);
  void report_workers_returned();
  void report_drain(std::uint32_t round);
  void destroy_level(std::uint32_t level);
  void send_report();
  void lose_peer(RankId peer, const std::string& reason);
  void fail(const FirstFailure& failure);
  void send(RankId to, const Control& control);
  void beat();
  void send_counts();
  void look_at_requests();
  void print_waits();
  RankResult finish();
  RankResult give_up();
  RankResult run_to_end();
  bool threads_ended() const;
  bool user_code_ended() const;
  std::unique_ptr<Controller> make_controller(std::uint32_t saved_state);

  const RankSetup setup_;
  const Settings& settings_;
  Agreement agreement_;
  Transport& transport_;
  RunDirectory directory_;
  last_words::Rank place_;
  EventQueue events_;
  std::unique_ptr<Log> log_;
  RankShared shared_;
  std::unique_ptr<Endpoint> endpoint_;
  std::unique_ptr<TaskSystem> tasks_;
  std::vector<std::unique_ptr<NodeHost>> nodes_;  // of this rank, in construction order
  std::unique_ptr<Controller> controller_;        // on the rank that leads
  RankId leader_{0};
  std::vector<bool> lost_;
  seam::Thread constructor_thread_;
  std::atomic<bool> construction_ended_{false};
  std::atomic<bool> given_up_{false};  // no more nodes are constructed
  seam::Thread body_thread_;           // of the test kit
  std::atomic<bool> body_runs_{false};
  std::size_t workers_left_ = 0;
  bool constructed_ = false;
  bool workers_started_ = false;
  bool stopping_ = false;
  bool reported_returned_ = false;
  std::optional<int> ended_;    // the status, all in order
  std::optional<int> aborted_;  // the status, at once
  seam::Time next_beat_ = 0;
  seam::Time next_traces_ = 0;
  int stops_seen_ = 0;
  int notices_seen_ = 0;
  int pictures_seen_ = 0;
  std::size_t notices_left_ = 0;  // nodes whose hooks run
  std::size_t saves_left_ = 0;    // the same, for a save on request
  std::string saved_parts_;       // by those whose hooks have run
};

}  // namespace slipway::detail
