// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "shipping.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "shipped_task.hpp"
#include "slipway/rpc/runnable.hpp"
#include "system_message.hpp"
#include "task_system_parts.hpp"
#include "waiting.hpp"

namespace slipway::detail {

namespace {

constexpr seam::Time microsecond = 1'000;
// To encode, send and decode a task and its result takes about as long: shorter ones are run where they are.
constexpr seam::Time cost_of_sending = 3 * microsecond;
// A rank that has so much to do does not run out of tasks while the next are on their way, even when all threads of the
// sender compute, and its messages are looked at every other millisecond only.
constexpr seam::Time work_ahead = 4'000 * microsecond;
constexpr std::uint32_t fewest_ahead = 2;  // a slot: one runs, one waits
constexpr std::uint32_t most_ahead = 256;

// After such a task a look at what other work waits costs nothing to speak of.
constexpr seam::Time long_task = 5 * microsecond;
constexpr seam::Time pause_of_looker = 1'000 * microsecond;  // when no stack is left to wait for room

constexpr seam::Time between_looks = 100'000 * microsecond;

std::uint64_t size_of(Writer& writer) {
  std::uint64_t size = writer.body().size();
  for (const ConstSegment& segment : writer.segments()) size += segment.info.size;
  return size;
}

}  // namespace

std::uint32_t Shipping::Lease::window() const {
  if (mean == 0) return fewest_ahead * slots;
  return slots * static_cast<std::uint32_t>(std::clamp<seam::Time>(work_ahead / mean, fewest_ahead, most_ahead));
}

Shipping::Shipping(TaskSystemParts& parts)
    : parts_(parts),
      least_worth_sending_(seam::simulated() ? 0 : cost_of_sending),  // there tasks take no time
      mean_(long_task),                                               // worth sending, until more is known
      desk_entry_(*this),
      leases_(parts.endpoint().ranks()) {
  for (Lease& lease : leases_) lease.slots = parts.endpoint().settings().cpus;  // until it is known
}

// The next tasks of this rank's own threads stay here.
bool Shipping::has_more_than_it_runs() const {
  const bool stuck = stuck_.load(std::memory_order_relaxed);
  return parts_.ready.backlog() > (stuck ? 0 : parts_.endpoint().settings().cpus);
}

void Shipping::look_around() {
  if (alone() || seam::now() < next_look_) return;
  next_look_ = seam::now() + between_looks;
  const std::uint64_t taken = parts_.ready.taken() - sent_.load(std::memory_order_relaxed);
  const bool stuck = taken == std::exchange(taken_before_, taken) && parts_.ready.backlog() > 0;
  stuck_.store(stuck, std::memory_order_relaxed);
  if (stuck) parts_.call_looker();
}

bool Shipping::worth_offering() const {
  if (stuck_.load(std::memory_order_relaxed)) return has_more_than_it_runs();
  return mean_.load(std::memory_order_relaxed) >= least_worth_sending_ && has_more_than_it_runs();
}

bool Shipping::note_length(seam::Time time) {
  const seam::Time before = mean_.load(std::memory_order_relaxed);
  mean_.store(before + (time - before) / 8, std::memory_order_relaxed);
  return time >= long_task;
}

void Shipping::send_or_offer(By by) {
  if (alone()) return;
  if (has_leases_.load(std::memory_order_relaxed)) {
    send_what_fits(by);
  } else if (by != By::desk && !offering_.load(std::memory_order_relaxed) && worth_offering()) {
    offer();
  }
}

void Shipping::offer() {
  std::uint32_t period = 0;
  {
    const std::lock_guard guard(lock_);
    if (offering_.load(std::memory_order_relaxed)) return;
    offering_.store(true, std::memory_order_relaxed);
    period = ++period_;
  }
  parts_.tell_desk<&TaskNode::offer>(cluster_rank, parts_.endpoint().rank().value(), period);
}

void Shipping::ran_empty() {
  if (!offering_.load(std::memory_order_relaxed)) return;
  std::uint32_t period = 0;
  {
    const std::lock_guard guard(lock_);
    if (!offering_.load(std::memory_order_relaxed)) return;
    period = period_;
    for (Lease& lease : leases_) lease.held = false;
    has_leases_.store(false, std::memory_order_relaxed);
    offering_.store(false, std::memory_order_relaxed);
  }
  parts_.tell_desk<&TaskNode::idle>(cluster_rank, parts_.endpoint().rank().value(), period);
}

void Shipping::lease(RankId rank, bool may_use, std::uint32_t period, std::uint64_t version) {
  {
    const std::lock_guard guard(lock_);
    Lease& lease = leases_[rank.index()];
    if (version <= lease.version) return;
    lease.version = version;
    lease.held = may_use && offering_.load(std::memory_order_relaxed) && period == period_;
    const bool any = std::any_of(leases_.begin(), leases_.end(), [](const Lease& each) { return each.held; });
    has_leases_.store(any, std::memory_order_relaxed);
    if (!lease.held) return;
  }
  call_desk();
  parts_.call_looker();  // this may be no thread that receives, and the desk not be looked at soon
}

std::optional<RankId> Shipping::take_room() {
  const std::lock_guard guard(lock_);
  std::uint64_t slots = parts_.endpoint().settings().cpus;
  std::uint64_t tasks = parts_.ready.backlog();
  for (const Lease& lease : leases_) {
    if (!lease.held) continue;
    slots += lease.slots;
    tasks += lease.away;
  }
  Lease* best = nullptr;
  for (Lease& lease : leases_) {
    // No more than its share of what there is, so that all ranks end at the same time.
    const std::uint64_t share = std::max<std::uint64_t>(fewest_ahead, tasks / slots) * lease.slots;
    if (lease.has_room() && lease.away < share && (!best || lease.away * best->slots < best->away * lease.slots))
      best = &lease;
  }
  if (!best) return std::nullopt;
  ++best->away;
  return RankId(static_cast<std::uint32_t>(best - leases_.data()));
}

void Shipping::give_room(RankId rank) {
  const std::lock_guard guard(lock_);
  --leases_[rank.index()].away;
}

bool Shipping::send_without_lease(TaskBase& task, RankId to) {
  {
    const std::lock_guard guard(lock_);
    ++leases_[to.index()].away;
  }
  if (send(task, to, By::looker)) return true;
  give_room(to);
  return false;
}

seam::Time Shipping::wait_at(RankId rank) {
  const seam::Time mean = mean_.load(std::memory_order_relaxed);
  if (rank == parts_.endpoint().rank()) {
    return static_cast<seam::Time>(parts_.ready.backlog()) * mean / parts_.endpoint().settings().cpus;
  }
  const std::lock_guard guard(lock_);
  const Lease& there = leases_[rank.index()];
  return there.away * (there.mean > 0 ? there.mean : mean) / there.slots;
}

void Shipping::send_what_fits(By by) {
  again_.store(true, std::memory_order_relaxed);
  while (again_.load(std::memory_order_relaxed) && !sending_.exchange(true, std::memory_order_seq_cst)) {
    again_.store(false, std::memory_order_seq_cst);
    while (send_one(by)) {
    }
    sending_.store(false, std::memory_order_seq_cst);
  }
}

// False: nothing more goes now.
bool Shipping::send_one(By by) {
  if (!has_more_than_it_runs()) return false;
  const auto rank = take_room();
  if (!rank) return false;
  TaskBase* task = nullptr;
  do {
    if (task) task->release();  // somebody runs it already
    task = parts_.ready.pop_to_send(by == By::desk);
    if (task) sent_.fetch_add(1, std::memory_order_relaxed);
  } while (task && !task->take());
  if (task && send(*task, *rank, by)) return true;
  give_room(*rank);
  if (task) {
    task->put_back();
    parts_.system.push(task);
  } else if (by == By::desk) {
    parts_.call_looker();  // there may be some that are not plain
  }
  return false;
}

bool Shipping::send(TaskBase& task, RankId to, By by) {
  Endpoint& endpoint = parts_.endpoint();
  const SystemActivity activity(endpoint);
  {
    const std::lock_guard guard(lock_);
    away_[task.id()] = {&task, to};
  }
  if (task.stop_requested()) {  // looked at after it can be told
    keep_cancelled(task, to);
    return true;
  }
  StateRef<ShippedTask> state(new ShippedTask(task, *this, to));
  try {
    Writer writer;
    if (by == By::desk) {
      const MustNotWait nothing;
      task.write(writer);
    } else {
      task.write(writer);
    }
    task.trace({.other = size_of(writer), .detail = to.value(), .kind = TaskEvent::Kind::sent});
    const CallSetup setup{.node = parts_.tasks_node(to), .method = &task.function(), .try_only = by != By::looker};
    state->retain();
    if (endpoint.call_remote(setup, state.get(), writer, nullptr) == Admitted::yes) return true;
  } catch (const WouldWait&) {
  } catch (const TooManyBlocked&) {
    seam::sleep_until(seam::now() + pause_of_looker);
  } catch (...) {  // user code, or the end of the run
    if (state->claim()) state->fail(std::current_exception());
    return true;
  }
  state->forget();
  {
    const std::lock_guard guard(lock_);
    away_.erase(task.id());
  }
  parts_.call_looker();
  return false;
}

// It will not run; said here, without user code.
void Shipping::keep_cancelled(TaskBase& task, RankId to) {
  came_back(task, to, 0, 0);
  task.run();
  task.release();
}

void Shipping::came_back(const TaskBase& task, RankId from, seam::Time ran_for, std::uint32_t slots) {
  bool room = false;
  bool told = false;
  {
    const std::lock_guard guard(lock_);
    const auto away = away_.find(task.id());
    told = away->second.told;
    away_.erase(away);
    Lease& lease = leases_[from.index()];
    if (!task.asks()) --lease.away;
    if (slots > 0) lease.slots = slots;
    if (ran_for > 0 && !task.asks()) {
      lease.mean = lease.mean == 0 ? ran_for : lease.mean + (ran_for - lease.mean) / 4;
    }
    room = lease.has_room();
  }
  if (told) parts_.mail.forget_cancelled(from, task.id());
  if (task.asks()) parts_.router.task_ended(*task.asks(), from);
  if (parts_.router.has_waiting() || (room && has_more_than_it_runs())) call_desk();
}

void Shipping::tell_cancelled(const TaskBase& task, bool children) {
  std::vector<std::pair<std::uint64_t, RankId>> unwanted;
  {
    const std::lock_guard guard(lock_);
    if (away_.empty()) return;
    for (auto& [id, away] : away_) {
      if (away.task != &task && !(children && away.task->stop_requested())) continue;
      away.told = true;
      unwanted.emplace_back(id, away.rank);
    }
  }
  for (const auto& [id, rank] : unwanted) {
    parts_.tell_desk<&TaskNode::cancel_task>(rank, id, children);
    lock_.lock();
    const bool over = away_.count(id) == 0;  // it came back meanwhile, and the other rank may have forgotten too early
    lock_.unlock();
    if (over) parts_.mail.forget_cancelled(rank, id);
  }
}

void Shipping::call_desk() {
  if (desk_entry_.queued.load(std::memory_order_relaxed) || desk_entry_.queued.exchange(true)) return;
  Endpoint& endpoint = parts_.endpoint();
  endpoint.local(parts_.desk(endpoint.rank()))->admit_quietly(&desk_entry_);
}

Entry::Step Shipping::DeskEntry::run(NodeSlot&) {
  queued.store(false);
  shipping.parts_.share_tasks(By::desk);
  return Step::finished;
}

void Shipping::DeskEntry::drop(const char*) {}

}  // namespace slipway::detail
