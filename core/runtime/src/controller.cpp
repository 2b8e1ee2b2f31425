// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "controller.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "slipway/observe/wall_clock.hpp"
#include "slipway/rpc/archive.hpp"
#include "work_message.hpp"

namespace slipway::detail {

namespace {

constexpr seam::Time stop_file_look = 200'000'000;  // between looks at whether another process asked the run to stop

RunStatus initial_status(const ControllerSetup& setup) {
  RunStatus status;
  status.program = setup.program->name();
  status.ranks = setup.ranks;
  status.attempt = setup.settings->attempt;
  status.written_by = setup.rank.value();
  status.host = setup.host;
  status.process = getpid();
  status.saved_state = setup.saved_state;
  status.started = status.heartbeat = wall_now();
  return status;
}

// The stop after the notice needs a part of the time, too.
std::chrono::nanoseconds limit_of_hooks(const Settings& settings) { return settings.notice_margin * 3 / 4; }

std::uint32_t count_workers(const Program& program) {
  const auto& nodes = program.graph().nodes();
  return static_cast<std::uint32_t>(std::count_if(nodes.begin(), nodes.end(), [](const Node& n) { return n.worker; }));
}

}  // namespace

Controller::Controller(ControllerSetup setup)
    : setup_(std::move(setup)),
      terminal_(Terminal::detect(setup_.settings->quiet, setup_.settings->progress_every.count())),
      status_(setup_.directory, initial_status(setup_)),
      answered_(setup_.ranks),
      workers_left_(count_workers(*setup_.program) + (setup_.has_body ? 1U : 0U)),
      workers_(workers_left_),
      handled_(setup_.ranks),
      work_of_rank_(setup_.ranks),
      work_log_(setup_.directory, setup_.settings->attempt) {
  report_.program = setup_.program->name();
  step_deadline_ = seam::limit_after(setup_.settings->start_limit);
}

void Controller::enter(State state) {
  state_ = state;
  std::fill(answered_.begin(), answered_.end(), false);
  answers_ = 0;
  const bool limited =
      state == State::noticing || state == State::stopping || state == State::draining || state == State::destroying;
  const auto limit = state == State::noticing ? limit_of_hooks(*setup_.settings) : setup_.settings->stop_limit;
  step_deadline_ = limited ? seam::after(limit) : seam::never;
}

void Controller::on(RankId from, const Control& control) {
  if (state_ == State::ended || state_ == State::aborted) return;
  const auto answer = [&](State expected) {
    if (state_ != expected || answered_[from.index()]) return false;
    answered_[from.index()] = true;
    return ++answers_ == setup_.ranks;
  };
  switch (control.kind) {
    case ControlKind::constructed:
      if (!answer(State::constructing)) return;
      enter(State::running);
      workers_began_ = seam::now();
      status_.set_state(RunState::running);
      setup_.broadcast({.kind = ControlKind::go});
      if (notice_) notice(*std::exchange(notice_, std::nullopt));
      return begin_next_save();
    case ControlKind::worker_done:
      // While nodes save themselves, workers return because of the notice: what they have saved decides.
      if (workers_left_ > 0 && --workers_left_ == 0 && state_ != State::noticing) {
        stop({.reason = "all workers have returned", .finished = true, .by_itself = true});
      }
      return;
    case ControlKind::stop_asked: {
      const bool by_the_program = control.first == 0;
      const bool now = control.number == 1;
      if (state_ == State::noticing && by_the_program && !now) return;  // it stops in a moment
      stop({.reason = control.text, .finished = by_the_program, .now = now});
      return;
    }
    case ControlKind::notice_asked:
      notice(control.text);
      return;
    case ControlKind::noticed: {
      if (state_ != State::noticing) return;
      add_parts(control.text, saved_parts_);
      if (answer(State::noticing)) end_notice();
      return;
    }
    case ControlKind::save_asked:
      return save(control.text);
    case ControlKind::saved:
      return take_saved(from, control);
    case ControlKind::failed:
      if (const auto failure = parse_failure(control.text)) fail(*failure);
      return;
    case ControlKind::workers_returned:
      if (!answer(State::stopping)) return;
      give_up_save("the program ends");
      enter(State::draining);
      next_drain_round();
      return;
    case ControlKind::drain_state:
      if (control.number != drain_round_) return;
      round_quiet_ = round_quiet_ && (control.first & drain_quiet) != 0;
      round_has_tasks_ = round_has_tasks_ || (control.first & drain_has_tasks) != 0;
      round_handled_ += control.second;
      if (!answer(State::draining)) return;
      if (round_quiet_ && last_quiet_ && round_handled_ == last_handled_) return next_level(0);
      last_quiet_ = round_quiet_;
      last_handled_ = round_handled_;
      next_drain_round();
      return;
    case ControlKind::destroyed:
      if (control.number == level_ && answer(State::destroying)) next_level(level_ + 1);
      return;
    case ControlKind::report: {
      Reader reader(std::as_bytes(std::span(control.text.data(), control.text.size())));
      std::uint64_t rows = 0;
      decode(reader, rows);
      for (; rows > 0; --rows) {
        ReportRow row;
        decode(reader, row.node);
        decode(reader, row.counts);
        row.rank = from.value();
        report_.rows.push_back(std::move(row));
      }
      return;
    }
    case ControlKind::counts:
      handled_[from.index()] = control.first;
      progress_number_ = std::max(progress_number_, control.second);
      if (!control.text.empty()) progress_text_ = control.text;
      return;
    case ControlKind::work:
      work_of_rank_[from.index()] = {work_from(control.text, seam::now()), seam::now()};
      return;
    default:
      return;
  }
}

// Answers of one round arrive in any order; the round's number keeps them apart from those of the one before.
void Controller::next_drain_round() {
  const seam::Time deadline = step_deadline_;
  enter(State::draining);
  if (deadline != seam::never && !(runs_tasks_out_ && round_has_tasks_)) step_deadline_ = deadline;
  ++drain_round_;
  round_quiet_ = true;
  round_has_tasks_ = false;
  round_handled_ = 0;
  setup_.broadcast({.kind = ControlKind::drain, .number = drain_round_});
}

void Controller::next_level(std::uint32_t level) {
  runs_tasks_out_ = false;
  if (level >= setup_.levels) return end();
  enter(State::destroying);
  level_ = level;
  setup_.broadcast({.kind = ControlKind::destroy, .number = level});
}

bool Controller::may_stop() const {
  return state_ == State::constructing || state_ == State::running || state_ == State::noticing;
}

void Controller::notice(const std::string& reason) {
  if (runs_tasks_out_) return stop({.reason = reason, .status = ExitStatus::preempted});
  if (!may_stop() || notice_) return;
  notice_ = reason;
  if (state_ == State::constructing) return;
  give_up_save("what is saved at the notice takes its place");
  enter(State::noticing);
  terminal_.message(LogLevel::warning, "the end of the job is near (" + reason + "): the program is told, and stops");
  const auto left = static_cast<std::uint64_t>(setup_.settings->notice_margin.count());
  const std::uint32_t number = setup_.directory ? next_state_number() : 0;
  setup_.broadcast({.kind = ControlKind::notice, .number = number, .first = left, .text = reason});
}

// All parts are written, so the state is complete with its manifest.
void Controller::end_notice() {
  if (!saved_parts_.empty() && !complete_state(state_number_, saved_parts_)) return;
  const bool done = workers_ > 0 && workers_left_ == 0 && saved_parts_.empty();
  stop({.reason = done ? "all workers have returned" : *notice_,
        .status = done ? ExitStatus::good : ExitStatus::preempted,
        .finished = done});
}

void Controller::stop(const Stop& stop) {
  if (may_stop()) {
    exit_status_ = stop.status;
    status_.set_stop_reason(stop.reason, stop.finished);
    status_.set_state(RunState::stopping);  // written with the reason
    stop_began_ = seam::now();
    enter(State::stopping);
    if (save_) step_deadline_ = seam::after(std::max(setup_.settings->stop_limit, limit_of_hooks(*setup_.settings)));
    waits_ended_ = false;
    runs_tasks_out_ = stop.by_itself;
    setup_.broadcast({.kind = ControlKind::stop, .first = stop.by_itself ? 1U : 0U, .text = stop.reason});
  } else if (runs_tasks_out_) {
    runs_tasks_out_ = false;
    exit_status_ = stop.status;
    status_.set_stop_reason(stop.reason, stop.finished);
    step_deadline_ = seam::after(setup_.settings->stop_limit);
    setup_.broadcast({.kind = ControlKind::stop, .text = stop.reason});
  }
  if (stop.now && state_ == State::stopping && !waits_ended_) {
    waits_ended_ = true;
    setup_.broadcast({.kind = ControlKind::end_waits, .text = stop.reason});
  }
}

void Controller::fail(const FirstFailure& failure) {
  if (state_ == State::ended || state_ == State::aborted || !status_.set_failure(failure)) return;
  terminal_.clear();
  if (setup_.show_end) terminal_.message(LogLevel::error, to_text(failure));
  exit_status_ = failure.status;
  enter(State::aborted);
  status_.set_progress(progress());
  status_.end(failure.status);  // before others hear of it: some launchers end this rank with the first that leaves
  setup_.broadcast({.kind = ControlKind::abort, .number = static_cast<std::uint32_t>(failure.status)});
}

void Controller::rank_lost(RankId rank, const std::string& reason, const std::string& host) {
  if (const auto words = setup_.directory ? read_last_words(setup_.directory.path(), rank.value()) : std::nullopt) {
    return fail(*words);
  }
  fail({.status = ExitStatus::rank_lost,
        .node = {},
        .rank = rank.value(),
        .host = host,
        .type = "rank lost",
        .text = reason,
        .log_file = setup_.directory ? setup_.directory.log_file(rank.value()).string() : std::string()});
}

std::string Controller::failure() const {
  const auto first = status_.status().first_failure;
  return first ? to_text(*first) : std::string();
}

std::string Controller::ranks_without(const std::vector<bool>& answered) {
  std::string text;
  for (std::size_t rank = 0; rank < answered.size(); ++rank) {
    if (!answered[rank]) text += fmt::format("{}{}", text.empty() ? "" : ", ", rank);
  }
  return text;
}

void Controller::step_took_too_long() {
  if (state_ == State::noticing) {
    terminal_.message(LogLevel::warning, "hooks for the notice are still busy on ranks " + ranks_without(answered_) +
                                             ": the program stops without waiting for them");
    return stop({.reason = *notice_, .status = ExitStatus::preempted});
  }
  if (state_ == State::stopping && !waits_ended_) {
    waits_ended_ = true;
    step_deadline_ = seam::after(setup_.settings->stop_limit);
    setup_.broadcast({.kind = ControlKind::end_waits, .text = "the program stops, and its limit for that has passed"});
    return;
  }
  const char* const what = state_ == State::constructing ? "constructing its nodes (--slipway-start-limit)"
                           : state_ == State::stopping   ? "returning from run() (--slipway-stop-limit)"
                           : state_ == State::draining   ? "finishing calls (--slipway-stop-limit)"
                                                         : "destroying its nodes (--slipway-stop-limit)";
  fail({.status = exit_status_ == ExitStatus::good ? ExitStatus::node_failed : exit_status_,
        .node = {},
        .rank = setup_.rank.value(),
        .host = setup_.host,
        .type = "time limit of a step",
        .text = fmt::format("still busy {}: ranks {}; their logs say what with", what, ranks_without(answered_)),
        .log_file = {}});
}

void Controller::tick(seam::Time now) {
  if (state_ == State::ended || state_ == State::aborted) return;
  if (now >= step_deadline_) step_took_too_long();
  look_after_save(now);
  const auto limit = setup_.settings->time_limit;
  const bool may_run = state_ == State::running || runs_tasks_out_;
  if (limit.count() > 0 && may_run && now - began_ >= limit.count()) {
    stop({.reason = "the time limit (--slipway-time-limit) has passed", .status = ExitStatus::time_limit});
  }
  look_for_requests(now);
  if (now < next_beat_) return;
  next_beat_ = now + setup_.settings->heartbeat.count();
  status_.set_progress(progress());
  status_.beat();
  if (workers_began_) work_log_.sample(sampled_work(), *workers_began_);
  terminal_.progress(status_.status());
}

RunProgress Controller::progress() const {
  RunProgress progress;
  progress.workers = workers_;
  progress.workers_done = workers_ - workers_left_;
  progress.calls = std::accumulate(handled_.begin(), handled_.end(), std::uint64_t{0});
  progress.text = progress_text_;
  progress.number = progress_number_;
  for (const auto& [unit, done] : work()) progress.work.emplace(unit, done.amount);
  return progress;
}

Work Controller::work() const {
  return std::accumulate(work_of_rank_.begin(), work_of_rank_.end(), Work(),
                         [](Work sum, const RankWork& of_rank) { return std::move(sum += of_rank.work); });
}

// Each amount with the moment for which it holds: ranks tell theirs at moments of their own, so their mean.
Work Controller::sampled_work() const {
  Work sum = work();
  for (auto& [unit, done] : sum) {
    seam::Time told = 0;  // since began_: sums of the clock itself would be too large
    seam::Time ranks = 0;
    for (const auto& of_rank : work_of_rank_) {
      if (!of_rank.work.contains(unit)) continue;
      told += of_rank.told - began_;
      ++ranks;
    }
    done.last = began_ + told / ranks;
  }
  return sum;
}

// Of other processes, by files.
void Controller::look_for_requests(seam::Time now) {
  if (!setup_.directory || now < next_look_) return;
  next_look_ = now + stop_file_look;
  if (may_stop() || runs_tasks_out_) {
    if (const auto reason = setup_.directory.notice_given(setup_.settings->attempt)) notice(*reason);
    if (const auto reason = setup_.directory.stop_requested()) stop({.reason = *reason});
  }
  look_for_save_request();
}

void Controller::end() {
  enter(State::ended);
  setup_.broadcast({.kind = ControlKind::end, .number = static_cast<std::uint32_t>(exit_status_)});
}

void Controller::complete_report() {
  const seam::Time now = seam::now();
  const seam::Time workers_began = workers_began_.value_or(now);
  report_.wall_time = now - setup_.launched;
  report_.starting = workers_began - setup_.launched;
  report_.running = stop_began_.value_or(now) - workers_began;
  for (const auto& [unit, done] : work()) report_.work.push_back({unit, done.amount, done.last - workers_began});
}

void Controller::close(ExitStatus status) {
  terminal_.clear();
  complete_report();
  if (setup_.directory) setup_.directory.write("report.json", to_json(report_));
  status_.set_progress(progress());
  status_.end(status);
  if (!setup_.show_end || setup_.settings->quiet || state_ != State::ended) return;
  terminal_.message(LogLevel::info, to_text(report_));
  if (setup_.directory) terminal_.message(LogLevel::info, "run directory: " + setup_.directory.path().string());
}

}  // namespace slipway::detail
