// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "node_host.hpp"

#include <algorithm>
#include <iterator>
#include <sstream>
#include <utility>

#include "slipway/base/error.hpp"
#include "slipway/observe/status.hpp"
#include "slipway/rpc/archive.hpp"

namespace slipway::detail {

namespace {

// Indexes of a node's own activities under the program's.
enum class ActivityKind : std::uint64_t { constructor = 0, run = 1, first_thread = 2 };
constexpr std::uint64_t kinds_per_node = 1024;

void begin(Activity& activity, const RankShared& shared, NodeSlot& slot, std::uint64_t kind, const char* doing) {
  activity.id = activity.chain = child_id(shared.program, slot.id.value() * kinds_per_node + kind);
  activity.node = &slot;
  activity.doing = doing;
}

}  // namespace

NodeHost::NodeHost(RankShared& shared, const Node& spec, std::uint32_t group_size, NodeId node,
                   const NodeDefinition& definition)
    : shared_(shared),
      spec_(spec),
      group_size_(group_size),
      node_(node),
      definition_(definition),
      slot_(&shared.endpoint->add_local(node, *definition.type, definition.admission)),
      context_(*this) {}

NodeHost::~NodeHost() = default;

void NodeHost::construct() {
  if (!definition_.admission.own_thread) {
    build();
  } else {
    own_ = seam::Thread("own." + spec_.label, [this] { own_thread_life(); });
    while (own_built_.load(std::memory_order_acquire) == 0) seam::wait(own_built_, 0);
  }
  if (build_error_) std::rethrow_exception(build_error_);
}

void NodeHost::build() {
  const last_words::At at(shared_.place, spec_.label.c_str(), "its constructor");
  Activity activity;
  begin(activity, shared_, *slot_, static_cast<std::uint64_t>(ActivityKind::constructor), "the constructor");
  activity.is_constructor = true;
  const ActivityScope scope(*shared_.endpoint, activity);
  try {
    object_ = definition_.build(context_);
    slot_->construct_done(object_);
  } catch (...) {
    build_error_ = std::current_exception();
  }
}

void NodeHost::own_thread_life() {
  const last_words::AlternateStack stack;
  build();
  own_built_.store(1, std::memory_order_release);
  seam::wake_all(own_built_);
  while (true) {
    const std::uint32_t ticket = slot_->own_word.load(std::memory_order_acquire);
    if (slot_->own_tokens.load(std::memory_order_acquire) > 0) {
      slot_->own_tokens.fetch_sub(1, std::memory_order_acq_rel);
      slot_->run_token();
      continue;
    }
    if (own_quit_.load(std::memory_order_acquire)) break;
    seam::wait(slot_->own_word, ticket);
  }
  destroy_object();
}

void NodeHost::destroy_object() {
  if (!object_) return;
  const last_words::At at(shared_.place, spec_.label.c_str(), "its destructor");
  try {
    definition_.destroy(std::exchange(object_, nullptr));
  } catch (...) {
    destructor_threw_ = true;
    fail(std::current_exception(), "the destructor");
  }
}

void NodeHost::start_worker() {
  worker_ = seam::Thread("run." + spec_.label, [this] { run_worker(); });
}

void NodeHost::run_worker() {
  const last_words::AlternateStack stack;
  const last_words::At at(shared_.place, spec_.label.c_str(), "run()");
  Activity activity;
  begin(activity, shared_, *slot_, static_cast<std::uint64_t>(ActivityKind::run), "run()");
  const ActivityScope scope(*shared_.endpoint, activity);
  const seam::Time began = seam::now();
  bool failed = false;
  try {
    definition_.run(object_, context_);
  } catch (const Stopped&) {
    failed = !shared_.stop.stop_requested();
    if (failed) fail(std::current_exception(), "run()");
  } catch (...) {
    failed = true;
    fail(std::current_exception(), "run()");
  }
  const auto life = static_cast<std::uint64_t>(seam::now() - began);
  NodeCounts counts;
  counts.calls = 1;
  counts.failed = failed ? 1 : 0;
  counts.waiting = activity.waited;
  counts.busy = life - std::min(life, activity.waited);
  slot_->counters.add_shared(counts);
  worker_returned_.store(true, std::memory_order_release);
  if (!failed) shared_.events->push({shared_.rank, {.kind = ControlKind::own_worker_done, .number = node_.value()}});
}

void NodeHost::fail(const std::exception_ptr& error, const std::string& where) {
  const RemoteFailure failure = describe_exception(error);
  const FirstFailure first{.status = ExitStatus::node_failed,
                           .node = spec_.label,
                           .rank = shared_.rank.value(),
                           .host = shared_.host,
                           .type = failure.type,
                           .text = where + ": " + failure.text,
                           .log_file = shared_.log->file().string()};
  shared_.log->write(LogLevel::error, spec_.label, where + " failed: " + failure.type + ": " + failure.text);
  shared_.events->push({shared_.rank, {.kind = ControlKind::own_failure, .text = to_json(first)}});
}

// A run may save, and hence start threads, for weeks.
void NodeHost::join_ended_threads() {
  std::vector<UserThread> ended;
  {
    const std::lock_guard guard(threads_lock_);
    const auto first = std::partition(user_threads_.begin(), user_threads_.end(), [](const UserThread& each) {
      return !each.ended->load(std::memory_order_acquire);
    });
    ended.assign(std::make_move_iterator(first), std::make_move_iterator(user_threads_.end()));
    user_threads_.erase(first, user_threads_.end());
  }
  for (auto& each : ended) each.thread.join();
}

void NodeHost::start_thread(std::function<void()> body) {
  join_ended_threads();
  const std::uint64_t number = threads_begun_.fetch_add(1, std::memory_order_relaxed);
  live_threads_.fetch_add(1, std::memory_order_acq_rel);
  const auto ended = std::make_shared<std::atomic<bool>>(false);
  seam::Thread thread("user." + spec_.label, [this, number, ended, body = std::move(body)] {
    const last_words::AlternateStack stack;
    const last_words::At at(shared_.place, spec_.label.c_str(), "a thread of it");
    Activity activity;
    begin(activity, shared_, *slot_, static_cast<std::uint64_t>(ActivityKind::first_thread) + number, "a thread");
    try {
      const ActivityScope scope(*shared_.endpoint, activity);
      body();
    } catch (const Stopped&) {
      if (!shared_.stop.stop_requested()) fail(std::current_exception(), "a thread");
    } catch (...) {
      fail(std::current_exception(), "a thread");
    }
    live_threads_.fetch_sub(1, std::memory_order_acq_rel);
    shared_.events->push({shared_.rank, {.kind = ControlKind::own_thread_done}});
    ended->store(true, std::memory_order_release);
  });
  const std::lock_guard guard(threads_lock_);
  user_threads_.push_back({std::move(thread), ended});
}

void NodeHost::on_notice(std::function<void(std::chrono::nanoseconds)> hook) {
  const std::lock_guard guard(hooks_lock_);
  notice_hooks_.push_back(std::move(hook));
}

void NodeHost::on_save(std::function<void(std::ostream&)> hook) {
  const std::lock_guard guard(hooks_lock_);
  if (save_hook_) throw UsageError("node '" + spec_.label + "' has a hook for saving already; write all in one");
  save_hook_ = std::move(hook);
}

void NodeHost::give_notice(const SavedState& into) {
  std::vector<std::function<void(std::chrono::nanoseconds)>> hooks;
  std::function<void(std::ostream&)> save;
  {
    const std::lock_guard guard(hooks_lock_);
    hooks = notice_hooks_;
    save = save_hook_;
  }
  if (hooks.empty() && !save) return shared_.events->push({shared_.rank, {.kind = ControlKind::own_noticed}});
  start_thread([this, into, hooks = std::move(hooks), save = std::move(save)] {
    Control done{.kind = ControlKind::own_noticed};
    context_.exclusive([&] {
      for (const auto& hook : hooks) hook(context_.time_left().value_or(std::chrono::nanoseconds(0)));
      if (save && into) done.text = save_state(into, save);
    });
    shared_.events->push({shared_.rank, std::move(done)});
  });
}

void NodeHost::save_on_request(const SavedState& into, std::uint32_t number) {
  std::function<void(std::ostream&)> save;
  {
    const std::lock_guard guard(hooks_lock_);
    save = save_hook_;
  }
  if (!save) return shared_.events->push({shared_.rank, {.kind = ControlKind::own_saved, .number = number}});
  start_thread([this, into, number, save = std::move(save)] {
    Control done{.kind = ControlKind::own_saved, .number = number};
    context_.exclusive([&] {
      if (shared_.saving.load(std::memory_order_acquire) == number) done.text = save_state(into, save);
    });
    shared_.events->push({shared_.rank, std::move(done)});
  });
}

std::string NodeHost::save_state(const SavedState& into, const std::function<void(std::ostream&)>& save) const {
  std::ostringstream out;
  save(out);
  if (!out) throw Error("node '" + spec_.label + "' could not write its state");
  const SavedPart part = into.write(spec_.label, std::move(out).str());
  Writer writer;
  encode(writer, part.node);
  encode(writer, part.bytes);
  encode(writer, part.digest);
  return text_of(writer);
}

void NodeHost::join() {
  if (worker_.joinable()) worker_.join();
  std::vector<UserThread> threads;
  {
    const std::lock_guard guard(threads_lock_);
    threads.swap(user_threads_);
  }
  for (auto& each : threads) each.thread.join();
}

bool NodeHost::destroy() {
  join();
  slot_->close("the node has been destroyed, since the program ends");
  if (own_.joinable()) {
    own_quit_.store(true, std::memory_order_release);
    slot_->own_word.fetch_add(1, std::memory_order_acq_rel);
    seam::wake_all(slot_->own_word);
    own_.join();
  } else {
    destroy_object();
  }
  return !destructor_threw_;
}

}  // namespace slipway::detail
