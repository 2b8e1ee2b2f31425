// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "slipway/base/recycled.hpp"
#include "slipway/observe/task_events.hpp"
#include "slipway/rpc/endpoint.hpp"
#include "slipway/tasks/object.hpp"
#include "slipway/tasks/task_asks.hpp"
#include "slipway/tasks/task_context.hpp"
#include "slipway/tasks/task_options.hpp"

namespace slipway::detail {

class MissingValues;
class RefCollector;
class TaskPath;
class TaskSystem;
class TaskTimer;
struct GangSeat;
struct TaskHead;
struct TaskOrigin;

// One invocation of a function, from its submission until nobody holds a ref to what it made. Reference-counted: each
// of its objects holds one reference, and so do the ready queue and whoever runs it.
//
//   waiting --all refs have values, and it has what it asks for--> ready --some thread takes it--> taken --> over
//
// One that another rank is to run is taken as well, and over when its outcome is back; and so is one whose values are
// about to be fetched from elsewhere, until it waits for them.
class TaskBase : public Continuation, public recycled::Object {
 public:
  TaskBase(const MethodEntry& function, const On& on);
  // One that another rank has sent, which waits for the reply.
  TaskBase(const MethodEntry& function, Reader& reader, const ReplyTo& reply);
  TaskBase(const TaskBase&) = delete;
  TaskBase& operator=(const TaskBase&) = delete;

  void retain() { references_.fetch_add(1, std::memory_order_relaxed); }
  void release() {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) dispose();
  }

  std::uint64_t id() const { return id_; }
  std::uint8_t priority() const { return extras() ? extras()->priority : 0; }
  // From 1: those that threw, and those that were lost, count.
  std::uint32_t attempt() const { return extras() ? extras()->lost + extras()->tries : 1; }
  const MethodEntry& function() const { return function_; }
  TaskSystem& system() const { return system_; }
  const char* name() const;
  std::string path() const;
  // What the tasks that it submits have above them, with a reference.
  TaskPath* path_of_children();

  // It has been submitted, and waits for the values that have no outcome yet.
  void start();
  // One of the values it waits for is there.
  void notify(CallState& state) override;
  // The task that makes the value it waits for now, with a reference; nullptr: none.
  TaskBase* missing_task();
  // Runs it on this thread if it is ready, and no other thread has taken it.
  bool take_and_run();
  // On the rank where it is to run, of one that waits: its values are here. False: it has them fetched, and goes on by
  // itself then.
  [[nodiscard]] bool has_inputs_here();

  // What it asks for beyond a core; nullptr: nothing.
  const TaskAsks* asks() const { return extras() && extras()->asks ? &*extras()->asks : nullptr; }
  // This rank is to run it.
  void set_at_its_place() { extras()->at_its_place = true; }
  // It has it, and of gpus these.
  void grant(std::vector<std::uint32_t> gpus);
  const std::vector<std::uint32_t>& gpus() const { return extras()->gpus; }
  // Of a member of a gang; nullptr: it is none.
  const GangSeat* seat() const { return extras() ? extras()->seat.get() : nullptr; }
  void take_seat(GangSeat seat);  // before the start
  // The members of its gang are to run there, and it on the one that has its number.
  void place(const std::vector<std::uint32_t>& ranks);
  bool has_failed_input() const { return failed_input_.load(std::memory_order_acquire) != nullptr; }
  // Granted, it may run; false: it was dropped meanwhile.
  bool make_ready();
  bool is_ready() const { return phase_.load(std::memory_order_acquire) == Phase::ready; }
  bool is_over() const { return phase_.load(std::memory_order_acquire) == Phase::over; }
  // It had been granted until this call.
  bool end_grant() { return extras() && extras()->granted.exchange(false, std::memory_order_acq_rel); }

  // It is this thread's to run or to send away; false: somebody was first.
  bool take();
  bool take_waiting();  // of one that has all it needs but for what it asks for
  void put_back();      // it is ready, or, of one that asks for something, waiting again
  void run();           // of one that this thread has taken
  bool stop_requested() const;
  // Another rank sent it.
  bool is_guest() const { return origin_ != nullptr; }
  // Any rank with time may run it: it has not been sent already, nor given what it asks for.
  bool may_leave() const { return !origin_ && !asks(); }

  // Taken by this rank, to be run by another one. Plain: without running user code.
  virtual bool is_plain() const = 0;
  void write(Writer& writer) const;
  // What the other rank made of it: the values are read into the objects, then told, or it failed.
  virtual void read_results(Reader& reader) = 0;
  void came_back(const std::exception_ptr& error, std::uint64_t bytes);
  // For its rank's file of events, unless it leaves no trace; task, time and thread are filled in.
  void trace(TaskEvent event) const;

  // Its result was lost, of which `head` is the object: `into` gets what comes of it now. On a thread that may run user
  // code.
  void make_again(ObjectPart& head, ObjectPart& into);
  bool keeps_arguments() const { return extras() && extras()->keeps_arguments; }

  // It will not run: its objects fail with this, unless some thread has taken it.
  bool drop(const std::exception_ptr& error);
  // Nobody wants what it makes, or, of its children, what they make: it is dropped, or told to stop.
  void cancel(bool children);
  // The first half of that, which takes no time: if it runs, or will, it sees that it is to stop.
  void ask_to_stop(bool children);

  // It has no outcome in time, so that this is its outcome now. Runs no user code.
  // True: it had not begun, and will not.
  bool time_out();
  // The rest of that, which may run user code.
  void end_late(bool dropped);

  // In the ready queue, where it hangs on nothing.
  TaskBase* next_ready() const { return static_cast<TaskBase*>(next); }
  void set_next_ready(TaskBase* task) { next = task; }

 protected:
  // The same once more, after its result was lost.
  TaskBase(const TaskBase& lost, std::uint32_t lost_attempts);
  virtual ~TaskBase();
  // That, with arguments of its own, and a ref to the object of that result.
  struct Again {
    TaskBase* task = nullptr;
    ObjectPart* object = nullptr;
  };
  virtual Again copy(Reader& arguments, std::uint32_t lost_attempts, std::size_t result) const = 0;
  virtual void collect(RefCollector& collector) = 0;
  // Whether what it is given may lie elsewhere.
  virtual bool may_need_fetching() const = 0;
  // Calls the function, which may take its arguments over, and gives its results to the objects.
  virtual void call(TaskContext& context) = 0;
  virtual void drop_arguments() = 0;
  virtual void write_arguments(Writer& writer) const = 0;
  virtual void read_arguments(Reader& reader) = 0;
  virtual void write_results(Writer& writer) = 0;
  virtual bool gives_plain() const = 0;
  // Their values are in place.
  virtual void finish_objects() = 0;
  virtual bool results_may_stay() const = 0;
  // Its arguments are needed no more, though it keeps them: before they go.
  void end_lineage();
  // With a reference each to their states, until the task is over; nullptr then.
  virtual std::span<ObjectPart*> objects() = 0;
  std::uint64_t id_of_result(std::size_t index) const;
  // So that a failure that nobody looks at can be told.
  void describe(CallState& object) const;

 private:
  enum class Phase : std::uint8_t { waiting, ready, taken, over };
  // Of the few that want more than to be run: a plain task fills two cache lines.
  struct Extras {
    ~Extras();

    std::optional<TaskAsks> asks;  // nothing: a core
    std::unique_ptr<GangSeat> seat;
    std::vector<std::uint32_t> gpus;
    std::atomic<bool> granted{false};
    bool at_its_place = false;
    std::uint8_t priority = 0;
    std::uint8_t retries = 0;
    std::uint8_t max_retries = TaskOptions().max_retries;
    std::uint32_t tries = 0;                   // here, with the one that runs or ran last
    std::uint32_t lost = 0;                    // attempts before these, whose rank or result was lost
    std::atomic<bool> keeps_arguments{false};  // though it is over: see lineage.cpp
    std::vector<ObjectPart*> weak_inputs;      // of these it keeps no ref, but a reference to the state
    std::chrono::nanoseconds timeout{0};       // 0: none
    TaskTimer* timer = nullptr;                // with a reference
  };

  // Also where the constructor throws.
  struct OwnedExtras {
    explicit OwnedExtras(Extras* extras) : pointer(extras) {}
    OwnedExtras(const OwnedExtras&) = delete;
    OwnedExtras& operator=(const OwnedExtras&) = delete;
    ~OwnedExtras() { delete pointer.load(std::memory_order_acquire); }
    std::atomic<Extras*> pointer;
  };

  static Extras* make_extras(const On& on);
  static Extras* make_extras(TaskHead& head);
  Extras* extras() const { return extras_.pointer.load(std::memory_order_acquire); }
  Extras& need_extras();  // of one that no other thread runs or starts
  std::uint32_t tries() const { return extras() ? extras()->tries : 1; }
  std::uint32_t times_lost() const { return extras() ? extras()->lost : 0; }
  std::uint8_t max_retries() const { return extras() ? extras()->max_retries : TaskOptions().max_retries; }
  std::uint8_t retries() const { return extras() ? extras()->retries : 0; }
  void start_timer();
  bool change(Phase from, Phase to);
  void advance();
  void go_on();
  [[nodiscard]] bool await_missing();
  void await(const std::vector<ObjectPart*>& values, std::uint64_t bytes_to_fetch);
  std::vector<ObjectPart*> large_inputs();
  void choose_near();
  void fetch_inputs();
  bool send_to_inputs(const std::vector<ObjectPart*>& inputs);
  TaskEnd call_function();
  struct Attempt {
    std::exception_ptr error;  // nullptr: it went well
    bool has_arguments = false;
  };
  Attempt try_call();
  void call_with_copies(TaskContext& context, Attempt& attempt);
  bool take_arguments_back(std::span<const std::byte> bytes);
  bool may_try_again();
  bool is_cancelled() const;
  TaskEnd end_by_input() const;
  bool leaves_trace() const;
  void trace_end(TaskEvent::Kind kind, TaskEnd end, std::uint64_t other) const;
  void trace_start(std::uint64_t serial);
  void trace_wait(const ObjectPart* missing) const;
  // Nothing more happens to it.
  void leave();
  void dispose();
  bool may_run_again_after(const std::exception_ptr& error) const;
  void run_again();
  bool has_results_elsewhere();
  void keep_arguments();
  void write_kept_arguments(Writer& writer);
  void leave_dropped();
  void leave_gang();
  bool end_before_it_begins();
  // An error is either worth a line in the log if nobody looks at it, or `expected`: somebody has asked for it.
  enum class Expected : bool { no, yes };
  void fail_objects(const std::exception_ptr& error, Expected expected);
  std::exception_ptr error_of_input() const;
  std::exception_ptr cancelled_error(HandlerRan ran) const;
  std::exception_ptr own_error(const std::exception_ptr& thrown) const;
  // A guest's outcome, to the rank that sent it.
  void send_outcome();
  std::exception_ptr failure_of_objects();

  const std::unique_ptr<TaskOrigin> origin_;  // of a guest
  std::atomic<std::uint32_t> references_{1};  // of who submits
  std::uint8_t trace_level_;
  std::atomic<Phase> phase_{Phase::waiting};
  std::atomic<bool> cancelled_{false};
  seam::SpinLock lock_;         // guards missing_, and the pointers to the objects
  OwnedExtras extras_;          // nullptr: none
  const char* const own_name_;  // nullptr: the function's
  TaskSystem& system_;
  const MethodEntry& function_;
  std::uint64_t id_ = 0;
  std::uint64_t chain_ = 0;
  TaskPath* parent_ = nullptr;                // with a reference
  std::atomic<TaskPath*> own_path_{nullptr};  // once asked for, with a reference
  // Alive as long as the arguments; nullptr: none is missing.
  std::unique_ptr<MissingValues> missing_;
  std::atomic<ObjectPart*> failed_input_{nullptr};  // the first of them that failed
};

// With an argument and a result of a word each it fills two cache lines: one more byte costs a third.
static_assert(sizeof(TaskBase) <= 112);

}  // namespace slipway::detail
