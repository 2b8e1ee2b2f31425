// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/runtime/context.hpp"

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <sstream>

#include "endings.hpp"
#include "node_host.hpp"

namespace slipway {

const std::string& Context::label() const { return host_.spec().label; }
NodeId Context::node() const { return host_.node(); }
std::uint32_t Context::index() const { return host_.spec().index; }
std::uint32_t Context::group_size() const { return host_.group_size(); }
RankId Context::rank() const { return host_.shared().rank; }
std::uint32_t Context::ranks() const { return host_.shared().ranks; }
const std::string& Context::host_name() const { return host_.shared().host; }
std::uint64_t Context::seed() const { return detail::child_id(host_.shared().seed, host_.node().value()); }
std::uint32_t Context::attempt() const { return host_.shared().attempt; }

void Context::write_log(std::string_view text) {
  host_.shared().log->write(LogLevel::info, label(), text);
  if (host_.shared().show_node_lines) detail::print_to_stderr(label() + ": " + std::string(text) + "\n");
}

void Context::report_progress(std::string_view text) {
  const std::lock_guard guard(host_.shared().progress_mutex);
  host_.shared().progress_text = text;
}

void Context::progress(std::uint64_t number) {
  auto& largest = host_.shared().progress_number;
  std::uint64_t known = largest.load(std::memory_order_relaxed);
  while (known < number && !largest.compare_exchange_weak(known, number, std::memory_order_relaxed)) {
  }
}

void Context::report(std::string_view unit, double amount) { host_.shared().work.add(unit, amount); }

void Context::on_notice(std::function<void(std::chrono::nanoseconds)> hook) { host_.on_notice(std::move(hook)); }

void Context::on_save(std::function<void(std::ostream&)> hook) { host_.on_save(std::move(hook)); }

bool Context::on_restore(const std::function<void(std::istream&)>& hook) {
  const auto bytes = host_.shared().restored.read(label());
  if (!bytes) return false;
  std::istringstream in(*bytes);
  hook(in);
  if (in.bad() || (in.fail() && !in.eof())) {  // to read up to the end is right, and leaves both marks
    throw Error("node '" + label() +
                "' could not read what it saved (another version of the program, perhaps); start " + "a new run");
  }
  return true;
}

std::optional<std::chrono::nanoseconds> Context::time_left() const {
  const seam::Time end = host_.shared().end_expected.load(std::memory_order_acquire);
  if (end == seam::never) return std::nullopt;
  return std::chrono::nanoseconds(std::max<seam::Time>(end - seam::now(), 0));
}

std::string Context::run_directory() const { return host_.shared().run_directory; }

std::string Context::result_directory() const {
  const std::filesystem::path directory = std::filesystem::path(host_.shared().run_directory) / "result";
  std::filesystem::create_directories(directory);
  return directory.string();
}

void Context::stop(std::string_view reason) {
  host_.shared().events->push(
      {rank(), {.kind = detail::ControlKind::stop_asked, .text = label() + ": " + std::string(reason)}});
}

void Context::stop_now(std::string_view reason) {
  host_.shared().events->push(
      {rank(), {.kind = detail::ControlKind::stop_asked, .number = 1, .text = label() + ": " + std::string(reason)}});
}

void Context::save(std::string_view reason) {
  host_.shared().events->push(
      {rank(), {.kind = detail::ControlKind::save_asked, .text = label() + ": " + std::string(reason)}});
}

std::stop_token Context::stop_token() const { return host_.shared().stop.get_token(); }

bool Context::sleep_for(std::chrono::nanoseconds duration) const {
  seam::Word word{0};
  const std::stop_callback wake(stop_token(), [&word] {
    word.store(1, std::memory_order_release);
    seam::wake_all(word);
  });
  const seam::Time end = seam::after(duration);
  while (word.load(std::memory_order_acquire) == 0 && seam::wait(word, 0, end)) {
  }
  return !stop_requested();
}

void Context::start_thread(std::function<void()> body) { host_.start_thread(std::move(body)); }

void Context::enter_exclusive() {
  detail::NodeSlot& slot = host_.slot();
  detail::Activity* const activity = detail::current.activity;
  if (activity && activity->holds_strand && activity->node == &slot) {
    throw UsageError("exclusive was entered by a thread that has node '" + slot.label +
                     "' already (in a handler, or twice): it would wait for itself. Use it in run() alone");
  }
  if (slot.mailbox.limit() > 1 || !slot.mailbox.enter_if_idle()) host_.take_all_places();
  if (activity) {
    activity->holds_strand = true;
    slot.began(*activity);
  }
}

void Context::leave_exclusive() {
  detail::NodeSlot& slot = host_.slot();
  if (detail::Activity* const activity = detail::current.activity) {
    slot.ended(*activity);
    activity->holds_strand = false;
  }
  for (std::uint32_t place = 0; place < slot.mailbox.limit(); ++place) slot.strand_returned();
}

}  // namespace slipway
