// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
// What was lost is made again. Contract 14. A task whose rank is lost is run once more; so is one whose result stayed
// on a rank that has it no more, which is why such a task keeps its arguments as long as somebody has a ref to the
// result. It does not keep the values of those that can be made again themselves: a long chain of large values takes a
// task each.
#include "lineage.hpp"

#include <fmt/format.h>

#include <mutex>
#include <optional>
#include <utility>

#include "answer.hpp"
#include "slipway/rpc/archive.hpp"
#include "slipway/rpc/runnable.hpp"
#include "slipway/tasks/argument.hpp"
#include "slipway/tasks/outcome.hpp"
#include "slipway/tasks/task.hpp"
#include "system_message.hpp"
#include "task_system_parts.hpp"
#include "waiting.hpp"

namespace slipway::detail {

namespace {

// Guards the last ref of an object that lineage keeps against a new one.
seam::SpinLock last_ref_lock;

template <class Exception>
bool is(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const Exception&) {
    return true;
  } catch (...) {
    return false;
  }
}

void fail(ObjectPart& object, const std::exception_ptr& error) {
  if (object.state().claim()) object.state().fail(error);
}

// A ref that may be the first one, as long as this lives.
class FreshRef {
 public:
  explicit FreshRef(ObjectPart& object) : object_(object) {
    const std::lock_guard guard(last_ref_lock);
    object.add_first_ref();
  }
  FreshRef(FreshRef&& other) noexcept : object_(other.object_), mine_(std::exchange(other.mine_, false)) {}
  FreshRef& operator=(FreshRef&&) = delete;
  ~FreshRef() {
    if (mine_) object_.drop_ref();
  }
  void keep() { mine_ = false; }

 private:
  ObjectPart& object_;
  bool mine_ = true;
};

struct AskAgainTag {};
// To `values`, beside the value itself: who had it when it was lost.
void answer_ask_again(Invocation& invocation) {
  Reader reader(invocation.body);
  std::uint64_t id = 0;
  std::uint32_t lost_rank = 0;
  std::uint64_t lost_id = 0;
  decode(reader, id);
  decode(reader, lost_rank);
  decode(reader, lost_id);
  reader.finish();
  TaskSystem& system = static_cast<TaskNode*>(invocation.object)->system();
  ObjectPart* const object = system.parts().objects.find_owned(id);
  if (!object) throw WireError("a value was asked for that is not here (message damaged, or its refs are all gone)");
  ObjectPart& at = object->located();
  if (at.is_borrowed() && at.owner().value() == lost_rank && at.id() == lost_id) fail(at, value_lost(at.owner()));
  answer(invocation.reply, *object, Asked::again);
}
struct AskAgainRow {
  MethodEntry entry;
  AskAgainRow() {
    entry.node_type = &typeid(TaskNode);
    entry.invoke = &answer_ask_again;
    register_method(entry, typeid(AskAgainTag), "Method = get a value that another rank has lost;");
  }
};
AskAgainRow ask_again_row;

// Its owner has it made again, or gives it itself, and answers into `into`.
void ask_again(RankId owner, std::uint64_t id, const ObjectPart& lost, ObjectPart& into) {
  Endpoint& endpoint = *into.state().info.endpoint;
  const SystemActivity activity(endpoint);
  Writer writer;
  encode(writer, id);
  encode(writer, lost.owner().value());
  encode(writer, lost.id());
  const CallSetup setup{.node = endpoint.tasks()->parts().values_node(owner), .method = &ask_again_row.entry};
  into.state().retain();
  try {
    static_cast<void>(endpoint.call_remote(setup, &into.state(), writer, nullptr));
  } catch (...) {
    fail(into, std::current_exception());
  }
}

}  // namespace

std::exception_ptr value_lost(RankId rank) {
  return std::make_exception_ptr(
      ValueLost(fmt::format("a value that lay on rank {} is lost", rank.value()), HandlerRan::yes, rank.value()));
}

bool ObjectPart::is_lost() { return state().failed() && is<ValueLost>(state().error()); }

// Who comes first hangs the object that is to have the value behind the lost one; others find it there.
void recover(ObjectPart& head, ObjectPart& lost) {
  ObjectPart* const into = head.make_like();
  into->add_ref();
  if (!lost.set_source(into, head.elsewhere()->bytes)) {
    into->drop_ref();
  } else if (lost.is_copy()) {
    ask_again(RankId(lost.elsewhere()->copy_of), lost.id(), lost, *into);
  } else if (head.is_borrowed()) {
    ask_again(head.owner(), head.id(), lost, *into);
  } else if (head.maker()) {
    head.maker()->make_again(head, *into);
  } else {
    fail(*into, std::make_exception_ptr(
                    PeerLost("a value is lost, and no task can make it again", HandlerRan::yes, lost.owner().value())));
  }
  into->drop_ref();
}

bool ObjectPart::can_be_made_again() const { return maker_ && maker_->keeps_arguments() && !is_borrowed(); }

// Nobody looks at it any more. If somebody does after all, for a task that is run once more, it is like one that is
// lost.
void ObjectPart::let_value_go() {
  ObjectPart* old = make_like();
  const auto error =
      std::make_exception_ptr(ValueLost("a value was let go, since nobody needed it", HandlerRan::yes, 0));
  fail(*old, error);
  old->state().ignore_errors();
  last_ref_lock.lock();
  if (refs_.load(std::memory_order_acquire) == 0) old = elsewhere()->object.exchange(old, std::memory_order_acq_rel);
  last_ref_lock.unlock();
  if (old) old->drop_ref();
}

bool TaskBase::may_run_again_after(const std::exception_ptr& error) const {
  return !seat() && !stop_requested() && is<PeerLost>(error) && times_lost() < max_retries();
}

// Its inputs first, on this rank: what was lost may be one of them.
void TaskBase::run_again() {
  Extras& extras = need_extras();
  ++extras.lost;
  extras.at_its_place = false;
  retain();
  system_.endpoint().run_beside(new Job([this] { fetch_inputs(); }));
}

bool TaskBase::has_results_elsewhere() {
  const auto made = objects();
  return std::any_of(made.begin(), made.end(), [](ObjectPart* object) { return object->source() != nullptr; });
}

void TaskBase::keep_arguments() {
  for (ObjectPart* const input : large_inputs()) {
    if (!input->can_be_made_again() || !input->source()) continue;
    input->state().retain();
    extras()->weak_inputs.push_back(input);
    input->drop_ref();
  }
}

void TaskBase::end_lineage() {
  if (!extras()) return;
  for (ObjectPart* const input : std::exchange(extras()->weak_inputs, {})) {
    FreshRef(*input).keep();
    input->state().release();
  }
}

// By a list: what one keeps may keep another one, and so on.
void TaskBase::dispose() {
  if (!keeps_arguments()) {
    delete this;
    return;
  }
  thread_local std::vector<TaskBase*>* doomed = nullptr;
  if (doomed) return doomed->push_back(this);
  std::vector<TaskBase*> all{this};
  doomed = &all;
  while (!all.empty()) {
    TaskBase* const next = all.back();
    all.pop_back();
    delete next;
  }
  doomed = nullptr;
}

void TaskBase::write_kept_arguments(Writer& writer) {
  std::vector<FreshRef> fresh;
  for (ObjectPart* const input : extras()->weak_inputs) fresh.emplace_back(*input);
  const AsTheyAre refs;
  write_arguments(writer);
}

void TaskBase::make_again(ObjectPart& head, ObjectPart& into) {
  const std::uint32_t rank = system_.endpoint().rank().value();
  try {
    if (!keeps_arguments())
      throw PeerLost(fmt::format("the value of task {} is lost, and a gang is not run again", path()), HandlerRan::yes,
                     rank);
    lock_.lock();
    const std::uint32_t lost = ++extras()->lost;
    lock_.unlock();
    if (lost > max_retries()) {
      throw PeerLost(fmt::format("the value of task {} is lost, and may not be made once more (max_retries = {})",
                                 path(), max_retries()),
                     HandlerRan::yes, rank);
    }
    std::size_t result = 0;
    while (id_of_result(result) != head.id()) ++result;
    Writer kept;
    write_kept_arguments(kept);
    kept.sent();
    Reader reader(kept.body());
    const Again again = copy(reader, lost, result);
    static_cast<void>(into.set_source(again.object, head.elsewhere()->bytes));
    if (into.state().claim()) into.state().finish();
    again.task->start();
  } catch (...) {
    fail(into, std::current_exception());
  }
}

}  // namespace slipway::detail
