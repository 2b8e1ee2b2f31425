// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0

// What a rank does now and then, and what people and schedulers ask of it by signals.
#include <fmt/format.h>
#include <unistd.h>

#include <utility>

#include "endings.hpp"
#include "rank_runtime.hpp"
#include "slipway/observe/status.hpp"
#include "work_message.hpp"

namespace slipway::detail {

namespace {

constexpr seam::Time look_for_debugger = 200'000'000;

}  // namespace

void RankRuntime::wait_for_debugger() const {
  print_to_stderr(fmt::format("slipway: rank {} on {} waits for a debugger: gdb -p {}\n", shared_.rank.value(),
                              shared_.host, getpid()));
  const auto traced = [] {
    const auto status = read_file("/proc/self/status").value_or("");
    const std::size_t at = status.find("TracerPid:\t");
    return at != std::string::npos && status.compare(at, 12, "TracerPid:\t0") != 0;
  };
  while (!traced()) seam::sleep_until(seam::now() + look_for_debugger);
}

void RankRuntime::beat() {
  const seam::Time now = seam::now();
  if (controller_) controller_->tick(now);
  if (now < next_beat_ || ended_ || aborted_) return;
  next_beat_ = now + settings_.heartbeat.count();
  if (setup_.abandoned && setup_.abandoned()) {
    log_->error("the process that launched this rank is gone");
    aborted_ = static_cast<int>(ExitStatus::rank_lost);
    return;
  }
  send_counts();
}

void RankRuntime::send_counts() {
  std::uint64_t handled = 0;
  for (const auto& node : nodes_) handled += node->slot().counters.read().calls;
  std::string text;
  {
    const std::lock_guard guard(shared_.progress_mutex);
    text = shared_.progress_text;
  }
  send(leader_, {.kind = ControlKind::counts,
                 .first = handled,
                 .second = shared_.progress_number.load(std::memory_order_relaxed),
                 .text = std::move(text)});
  const Work work = shared_.work.read();
  if (!work.empty()) send(leader_, {.kind = ControlKind::work, .text = work_message(work, seam::now())});
}

void RankRuntime::look_at_requests() {
  if (!setup_.requests) return;
  const int stops = setup_.requests->stop.load(std::memory_order_relaxed);
  if (stops > stops_seen_) {
    const bool again = stops_seen_ > 0 || stops > 1;
    stops_seen_ = stops;
    events_.push(
        {shared_.rank,
         {.kind = ControlKind::stop_asked, .number = again ? 1U : 0U, .first = 1, .text = "asked by a signal"}});
  }
  const int notices = setup_.requests->notice.load(std::memory_order_relaxed);
  if (notices > std::exchange(notices_seen_, notices)) {
    events_.push({shared_.rank, {.kind = ControlKind::notice_asked, .text = "a signal said so"}});
  }
  const int pictures = setup_.requests->picture.load(std::memory_order_relaxed);
  if (pictures > pictures_seen_) print_waits();
  pictures_seen_ = pictures;
  if (controller_ && setup_.ranks_share_process && setup_.requests->dying.load(std::memory_order_acquire)) {
    if (const auto words = read_first_last_words(shared_.run_directory)) controller_->fail(*words);
  }
}

void RankRuntime::print_waits() {
  const std::string waits = endpoint_->describe_waits(0);
  print_to_stderr(fmt::format("slipway: rank {} of {} on {}: {} calls in flight\n{}", shared_.rank.value(),
                              shared_.ranks, shared_.host, endpoint_->calls_in_flight(),
                              waits.empty() ? "nobody waits\n" : waits));
}

void RankRuntime::begin_notice(const Control& control) {
  log_->warning("the end of the job is near: " + control.text);
  shared_.saving.store(0, std::memory_order_release);  // what is saved now takes the place of it
  shared_.end_expected.store(seam::now() + static_cast<seam::Time>(control.first), std::memory_order_release);
  notices_left_ = nodes_.size();
  saved_parts_.clear();
  const SavedState into(shared_.run_directory, control.number);
  for (const auto& node : nodes_) node->give_notice(into);
  if (nodes_.empty()) send(leader_, {.kind = ControlKind::noticed});
}

void RankRuntime::report_noticed(const std::string& saved) {
  saved_parts_ += saved;
  if (notices_left_ > 0 && --notices_left_ == 0) {
    send(leader_, {.kind = ControlKind::noticed, .text = std::move(saved_parts_)});
  }
}

void RankRuntime::begin_save(const Control& control) {
  saves_left_ = nodes_.size();
  saved_parts_.clear();
  shared_.saving.store(control.number, std::memory_order_release);
  const SavedState into(shared_.run_directory, control.number);
  for (const auto& node : nodes_) node->save_on_request(into, control.number);
  if (nodes_.empty()) send(leader_, {.kind = ControlKind::saved, .number = control.number});
}

void RankRuntime::report_saved(const Control& own) {
  if (own.number != shared_.saving.load(std::memory_order_acquire) || saves_left_ == 0) return;
  saved_parts_ += own.text;
  if (--saves_left_ > 0) return;
  send(leader_, {.kind = ControlKind::saved, .number = own.number, .text = std::move(saved_parts_)});
}

}  // namespace slipway::detail
