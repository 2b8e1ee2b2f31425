// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0

// The controller's part in saved states: those on request, one at a time, while the program runs.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "controller.hpp"
#include "slipway/rpc/archive.hpp"

namespace slipway::detail {

void Controller::note(const std::string& text) {
  if (setup_.log) setup_.log->info(text);
}

void Controller::add_parts(const std::string& text, std::vector<SavedPart>& parts) {
  Reader reader(std::as_bytes(std::span(text.data(), text.size())));
  while (reader.remaining() > 0) {
    SavedPart& part = parts.emplace_back();
    decode(reader, part.node);
    decode(reader, part.bytes);
    decode(reader, part.digest);
  }
}

// Never that of a state that was begun: of one that was given up, nodes may still write parts.
std::uint32_t Controller::next_state_number() {
  state_number_ = std::max(SavedState::next_number(setup_.directory.path()), state_number_ + 1);
  return state_number_;
}

// All parts are written, so the state is complete with its manifest.
bool Controller::complete_state(std::uint32_t number, const std::vector<SavedPart>& parts) {
  try {
    SavedState(setup_.directory.path(), number).complete(parts);
  } catch (const std::exception& error) {
    fail({.rank = setup_.rank.value(),
          .host = setup_.host,
          .type = "slipway::Error",
          .text = std::string("the saved state could not be completed: ") + error.what()});
    return false;
  }
  status_.set_saved(number);
  const auto bytes = std::accumulate(parts.begin(), parts.end(), std::uint64_t{0},
                                     [](std::uint64_t sum, const SavedPart& part) { return sum + part.bytes; });
  const std::string text = fmt::format("state {} is saved: {} {}, {} bytes", number, parts.size(),
                                       parts.size() == 1 ? "node" : "nodes", bytes);
  note(text);
  terminal_.message(LogLevel::info, text);
  return true;
}

void Controller::save(const std::string& reason) {
  if (state_ != State::running && state_ != State::constructing) {
    return note("a request to save is dropped, since the program ends: " + reason);
  }
  if (!setup_.directory) return note("a request to save is dropped, since there is no run directory: " + reason);
  if (!next_save_) next_save_ = reason;
  begin_next_save();
}

void Controller::begin_next_save() {
  if (state_ == State::running && next_save_ && !save_) begin_save(*std::exchange(next_save_, std::nullopt));
}

void Controller::begin_save(const std::string& reason) {
  save_ = Save{.number = next_state_number(),
               .reason = reason,
               .answered = std::vector<bool>(setup_.ranks),
               .began = seam::now()};
  status_.set_saving(save_->number);
  note(fmt::format("state {} is to be saved: {}", save_->number, reason));
  setup_.broadcast({.kind = ControlKind::save, .number = save_->number, .text = reason});
}

void Controller::take_saved(RankId from, const Control& control) {
  if (!save_ || control.number != save_->number || save_->answered[from.index()]) return;
  save_->answered[from.index()] = true;
  add_parts(control.text, save_->parts);
  if (++save_->answers == setup_.ranks) end_save();
}

void Controller::end_save() {
  const Save done = *std::exchange(save_, std::nullopt);
  if (done.parts.empty()) {
    status_.set_saving(0);
    note(fmt::format("state {} is empty, and left away: no node has a hook (on_save)", done.number));
  } else if (!complete_state(done.number, done.parts)) {
    return;
  }
  // The stop has waited for it.
  if (state_ == State::stopping && !waits_ended_) step_deadline_ = seam::after(setup_.settings->stop_limit);
  look_for_save_request();
  begin_next_save();
}

void Controller::give_up_save(const std::string& why) {
  if (next_save_) note("a request to save is dropped, since the program ends: " + *next_save_);
  next_save_.reset();
  if (!save_) return;
  note(fmt::format("state {} is given up: {}", save_->number, why));
  save_.reset();
  status_.set_saving(0);
}

void Controller::look_after_save(seam::Time now) {
  const auto patience = setup_.settings->stall_after.count();
  if (!save_ || save_->told || patience == 0 || now - save_->began < patience) return;
  save_->told = true;
  const std::string text = fmt::format("state {} is still being saved: hooks are busy, or wait for handlers, on ranks {}",
                                       save_->number, ranks_without(save_->answered));
  note(text);
  terminal_.message(LogLevel::warning, text);
}

// A request stays until the save begins that serves it: whoever made it sees by that which one to wait for.
void Controller::look_for_save_request() {
  if (save_ || state_ == State::constructing) return;
  const auto reason = setup_.directory.save_requested();
  if (!reason) return;
  save(*reason);
  setup_.directory.forget_save_request();
}

}  // namespace slipway::detail
