// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "rank_runtime.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "endings.hpp"
#include "process_age.hpp"
#include "run_files.hpp"
#include "slipway/base/hash.hpp"
#include "slipway/graph/order.hpp"
#include "slipway/graph/plan.hpp"
#include "slipway/observe/status.hpp"
#include "slipway/rpc/archive.hpp"
#include "slipway/rpc/edge_faults.hpp"

namespace slipway::detail {

namespace {

constexpr seam::Time look_around = 100'000'000;  // signals, stop requests, limits
constexpr seam::Time patience_with_user_code = 2'000'000'000;
constexpr seam::Time drain_pause = 1'000'000;
constexpr seam::Time drain_pause_of_tasks = 10'000'000;
constexpr seam::Time last_flush = 50'000'000;  // for the message that ends the other ranks

// The rank's main thread drops requests and destroys nodes: it works for the rank, too.
class WorksFor {
 public:
  explicit WorksFor(Endpoint& endpoint) : before_(current) { current = {&endpoint, nullptr}; }
  ~WorksFor() { current = before_; }
  WorksFor(const WorksFor&) = delete;
  WorksFor& operator=(const WorksFor&) = delete;

 private:
  const Current before_;
};

constexpr std::uint32_t body_thread = 1;  // as `number` of own_thread_done

}  // namespace

RankRuntime::RankRuntime(const RankSetup& setup)
    : setup_(setup),
      settings_(setup.options->settings()),
      agreement_(agree(setup)),
      transport_(*setup.transport),
      directory_(agreement_.run_directory.empty() ? RunDirectory() : RunDirectory::at(agreement_.run_directory)),
      lost_(setup.transport->size()) {
  shared_.rank = transport_.rank();
  shared_.ranks = transport_.size();
  shared_.host = transport_.host_names()[transport_.host_of_rank()[shared_.rank.index()].index()];
  shared_.run_directory = agreement_.run_directory;
  shared_.seed = settings_.seed;
  shared_.attempt = settings_.attempt;
  shared_.show_node_lines = !settings_.quiet && setup.show_end;
  shared_.program = fnv1a(setup.program->name());
  shared_.events = &events_;
  shared_.place = &place_;
}

RankRuntime::~RankRuntime() {
  if (endpoint_) endpoint_->stop();  // its threads run tasks
}

RankResult RankRuntime::print_plan() {
  if (shared_.rank == leader_) {
    const Plan plan{setup_.program->graph(), agreement_.machine, agreement_.placement};
    fmt::print("{}", render(plan, format_of(settings_.plan)));
    std::fflush(stdout);
  }
  transport_.close();
  return {};
}

void RankRuntime::open_log() {
  Log::Options options;
  options.host = shared_.host;
  options.rank = shared_.rank.value();
  options.level = settings_.log_level;
  log_ = directory_ ? std::make_unique<Log>(directory_.log_file(shared_.rank.value()), options)
                    : std::make_unique<Log>(options);
  shared_.log = log_.get();
  const auto failure_file = directory_ ? directory_.failure_file(shared_.rank.value()) : std::filesystem::path();
  place_.set(shared_.rank.value(), shared_.host, log_->descriptor(), log_->file(), failure_file);
  log_->info(fmt::format("rank {} of {} on {}, process {}, {}", shared_.rank.value(), shared_.ranks, shared_.host,
                         getpid(), transport_.describe()));
}

// Before any node is built: a GPU library reads the list once.
void RankRuntime::show_own_gpus() {
  const GpuShare& gpus = agreement_.gpus;
  if (gpus.devices.empty()) return;
  std::string list;
  for (const auto& device : gpus.devices) list.append(list.empty() ? "" : ",").append(device);
  log_->info("GPUs: " + list + (gpus.shared ? ", shared with other ranks" : ""));
  if (settings_.gpu_export && !setup_.ranks_share_process) ::setenv(agreement_.gpu_variable.c_str(), list.c_str(), 1);
}

RankResult RankRuntime::run() {
  if (settings_.plan != PlanRequest::none) return print_plan();
  const last_words::AlternateStack stack;  // destructors run on this thread
  open_log();
  shared_.restored = SavedState::open(shared_.run_directory, agreement_.saved_state);
  show_own_gpus();
  if (settings_.debug_rank == std::to_string(shared_.rank.value())) wait_for_debugger();
  start_endpoint();
  const WorksFor works_for(*endpoint_);
  return run_to_end();
}

// This rank cannot go on, alone perhaps: the others must not wait for it.
void RankRuntime::leave_without_end(const std::exception& error) {
  leave_last_words(directory_, shared_.rank.value(), shared_.host, error);
  transport_.announce_death(static_cast<int>(ExitStatus::usage), error.what());
}

RankResult RankRuntime::run_to_end() {
  const Graph& graph = setup_.program->graph();
  for (const NodeId node : construction_order(graph)) {
    if (agreement_.placement.rank_of_node[node.index()] != shared_.rank) continue;
    const Node& spec = graph.node(node);
    const auto group_size = spec.group ? static_cast<std::uint32_t>(graph.group(spec.group).members.size()) : 1U;
    nodes_.push_back(
        std::make_unique<NodeHost>(shared_, spec, group_size, node, setup_.program->definitions()[node.index()]));
  }
  if (shared_.rank == leader_) {
    if (directory_) write_run_files(directory_, setup_, agreement_);
    controller_ = make_controller(agreement_.saved_state);
  }
  endpoint_->start();
  constructor_thread_ = seam::Thread("construct" + std::to_string(shared_.rank.value()), [this] { construct_nodes(); });
  while (!ended_ && !aborted_) {
    const auto event = events_.next(seam::now() + look_around);
    if (event) handle(*event);
    look_at_requests();
    beat();
    write_traces(Traces::when_due);
    tasks_->look_around();
  }
  return aborted_ ? give_up() : finish();
}

std::unique_ptr<Controller> RankRuntime::make_controller(std::uint32_t saved_state) {
  return std::make_unique<Controller>(
      ControllerSetup{.program = setup_.program,
                      .settings = &settings_,
                      .ranks = shared_.ranks,
                      .levels = destruction_levels(setup_.program->graph()).count,
                      .rank = shared_.rank,
                      .host = shared_.host,
                      .directory = directory_,
                      .saved_state = saved_state,
                      .log = log_.get(),
                      .show_end = setup_.show_end,
                      .launched = setup_.ranks_share_process ? seam::now() : seam::now() - process_age(),
                      .has_body = static_cast<bool>(setup_.body),
                      .broadcast = [this](const Control& control) {
                        for (std::uint32_t rank = 0; rank < shared_.ranks; ++rank) {
                          if (!lost_[rank]) send(RankId(rank), control);
                        }
                      }});
}

void RankRuntime::construct_nodes() {
  const last_words::AlternateStack stack;
  for (const auto& node : nodes_) {
    if (given_up_.load(std::memory_order_acquire)) break;
    try {
      node->construct();
    } catch (...) {
      construction_ended_.store(true, std::memory_order_release);
      node->fail(std::current_exception(), "the constructor");
      return;
    }
  }
  construction_ended_.store(true, std::memory_order_release);
  events_.push({shared_.rank, {.kind = ControlKind::own_constructed}});
}

void RankRuntime::send(RankId to, const Control& control) {
  if (to == shared_.rank) {
    events_.push({shared_.rank, control});
  } else {
    endpoint_->send_control(to, to_bytes(control));
  }
}

void RankRuntime::handle(const Event& event) {
  const Control& control = event.control;
  switch (control.kind) {
    case ControlKind::own_constructed:
    case ControlKind::own_worker_done:
    case ControlKind::own_thread_done:
    case ControlKind::own_failure:
    case ControlKind::own_noticed:
    case ControlKind::own_saved:
    case ControlKind::peer_lost:
      return handle_own(control);
    case ControlKind::lost:
      if (control.number < shared_.ranks && !lost_[control.number]) lose_peer(RankId(control.number), control.text);
      return;
    case ControlKind::go:
      return start_workers();
    case ControlKind::notice:
      return begin_notice(control);
    case ControlKind::save:
      return begin_save(control);
    case ControlKind::stop:
      if (control.first == 0) tasks_->close("the program stops: " + control.text);
      return begin_stop(control.text);
    case ControlKind::end_waits:
      return endpoint_->end_waits(control.text);
    case ControlKind::drain:
      return report_drain(control.number);
    case ControlKind::destroy:
      return destroy_level(control.number);
    case ControlKind::end:
      ended_ = static_cast<int>(control.number);
      return;
    case ControlKind::abort:
      aborted_ = static_cast<int>(control.number);
      return;
    case ControlKind::stop_asked:
    case ControlKind::notice_asked:
    case ControlKind::save_asked:
      if (event.from == shared_.rank && !controller_) return send(leader_, control);
      [[fallthrough]];
    default:
      if (controller_) controller_->on(event.from, control);
  }
}

void RankRuntime::handle_own(const Control& control) {
  switch (control.kind) {
    case ControlKind::own_constructed:
      constructed_ = true;
      send(leader_, {.kind = ControlKind::constructed});
      return report_workers_returned();  // if stop was asked meanwhile
    case ControlKind::own_worker_done:
      if (workers_left_ > 0) --workers_left_;
      send(leader_, {.kind = ControlKind::worker_done, .number = control.number});
      return report_workers_returned();
    case ControlKind::own_thread_done:
      if (control.number == body_thread) {  // it counts as a worker, and ends the program alone
        send(leader_, {.kind = ControlKind::worker_done});
        send(leader_, {.kind = ControlKind::stop_asked, .text = "the test's body has returned"});
      }
      return report_workers_returned();
    case ControlKind::own_noticed:
      return report_noticed(control.text);
    case ControlKind::own_saved:
      return report_saved(control);
    case ControlKind::own_failure:
      if (const auto failure = parse_failure(control.text)) fail(*failure);
      return;
    default:
      return lose_peer(RankId(control.number), control.text);
  }
}

void RankRuntime::fail(const FirstFailure& failure) {
  if (controller_) {
    controller_->fail(failure);
  } else {
    send(leader_, {.kind = ControlKind::failed, .text = to_json(failure)});
  }
}

// The lowest rank that is left speaks for the run when the controller is gone.
void RankRuntime::lose_peer(RankId peer, const std::string& reason) {
  lost_[peer.index()] = true;
  const std::string& host = transport_.host_names()[transport_.host_of_rank()[peer.index()].index()];
  log_->error(fmt::format("rank {} on {} is lost: {}", peer.value(), host, reason));
  if (controller_) return controller_->rank_lost(peer, reason, host);
  // The controller may see it later than this rank, whose calls to the peer are about to fail.
  if (peer != leader_) return send(leader_, {.kind = ControlKind::lost, .number = peer.value(), .text = reason});
  const auto left = std::find(lost_.begin(), lost_.end(), false);
  leader_ = RankId(static_cast<std::uint32_t>(left - lost_.begin()));
  if (leader_ != shared_.rank) return;
  const auto untold = [](const std::string&) {};
  controller_ = make_controller(directory_ ? SavedState::newest_complete(directory_.path(), untold) : 0);
  controller_->rank_lost(peer, reason, host);
}

void RankRuntime::start_workers() {
  workers_started_ = true;
  for (const auto& node : nodes_) {
    if (!node->is_worker() || (setup_.suppress_run && setup_.suppress_run(node->spec().label))) continue;
    ++workers_left_;
    node->start_worker();
  }
  if (setup_.body && shared_.rank == RankId(0)) start_body();
}

void RankRuntime::start_body() {
  body_runs_.store(true, std::memory_order_release);
  body_thread_ = seam::Thread("body", [this] {
    Activity activity;
    activity.id = activity.chain = child_id(shared_.program, ~std::uint64_t{0});
    activity.doing = "the test's body";
    {
      const ActivityScope scope(*endpoint_, activity);
      setup_.body();
    }
    body_runs_.store(false, std::memory_order_release);
    events_.push({shared_.rank, {.kind = ControlKind::own_thread_done, .number = body_thread}});
  });
}

void RankRuntime::begin_stop(const std::string& reason) {
  if (stopping_) return;
  stopping_ = true;
  log_->info("stopping: " + reason);
  shared_.stop.request_stop();
  report_workers_returned();
}

void RankRuntime::report_workers_returned() {
  if (!stopping_ || !constructed_ || workers_left_ > 0 || !threads_ended() || reported_returned_) return;
  reported_returned_ = true;
  for (const auto& node : nodes_) node->join();
  send_counts();  // the last heartbeat knew less
  send(leader_, {.kind = ControlKind::workers_returned});
}

void RankRuntime::report_drain(std::uint32_t round) {
  endpoint_->report_all_consumed();
  bool quiet = !tasks_->has_messages() && endpoint_->calls_in_flight() == 0;  // in this order: they become calls
  quiet = quiet && tasks_->unfinished() == 0 && threads_ended();
  if (setup_.edge_faults) quiet = quiet && !setup_.edge_faults->holds_calls_of(*endpoint_);
  std::uint64_t handled = tasks_->finished();
  for (const auto& node : nodes_) {
    quiet = quiet && node->slot().mailbox.idle();
    handled += node->slot().counters.read().calls;
  }
  const bool has_tasks = tasks_->unfinished() != 0;
  const seam::Time pause = has_tasks ? drain_pause_of_tasks : drain_pause;
  if (!quiet) seam::sleep_until(seam::now() + pause);  // who asks asks at once
  const auto state = static_cast<std::uint64_t>((quiet ? drain_quiet : 0) | (has_tasks ? drain_has_tasks : 0));
  send(leader_, {.kind = ControlKind::drain_state, .number = round, .first = state, .second = handled});
}

void RankRuntime::destroy_level(std::uint32_t level) {
  const auto levels = destruction_levels(setup_.program->graph());
  if (level == 0) send_report();
  bool good = true;
  for (const NodeId id : destruction_order(setup_.program->graph())) {
    if (levels.of_node[id.index()] != level) continue;
    for (const auto& node : nodes_) {
      if (node->node() == id) good = node->destroy() && good;
    }
  }
  send_counts();  // handlers may have reported work while calls drained, and destructors
  // A failure is on its way already, and this answer could let the run end well before it.
  if (good) send(leader_, {.kind = ControlKind::destroyed, .number = level});
}

void RankRuntime::send_report() {
  Writer writer;
  encode(writer, static_cast<std::uint64_t>(nodes_.size()));
  for (const auto& node : nodes_) {
    encode(writer, node->spec().label);
    encode(writer, node->slot().counters.read());
  }
  send(leader_, {.kind = ControlKind::report, .text = text_of(writer)});
}

bool RankRuntime::threads_ended() const {
  return !body_runs_.load(std::memory_order_acquire) &&
         std::all_of(nodes_.begin(), nodes_.end(), [](const auto& node) { return node->threads_ended(); });
}

bool RankRuntime::user_code_ended() const {
  if (!construction_ended_.load(std::memory_order_acquire) || !threads_ended()) return false;
  if (tasks_->unfinished() != 0) return false;
  return std::all_of(nodes_.begin(), nodes_.end(), [](const auto& node) {
    return (!node->worker_started() || node->worker_returned()) && !node->slot().mailbox.has_runner();
  });
}

RankResult RankRuntime::finish() {
  if (constructor_thread_.joinable()) constructor_thread_.join();
  if (setup_.edge_faults) setup_.edge_faults->drop_calls_of(*endpoint_);
  endpoint_->fail_all_calls("the program has ended");  // refs that nodes dropped may still be on their way home
  endpoint_->stop();
  transport_.close();
  write_traces(Traces::now);
  tell_strayed_waits();
  log_->info(fmt::format("ended with status {}", *ended_));
  if (body_thread_.joinable()) body_thread_.join();
  if (controller_) controller_->close(static_cast<ExitStatus>(*ended_));
  return {.status = *ended_, .clean = true, .run_directory = agreement_.run_directory};
}

// A failure: user code gets a moment to leave where other ranks share the process; else the process just ends.
RankResult RankRuntime::give_up() {
  RankResult result{.status = *aborted_, .clean = false, .run_directory = agreement_.run_directory};
  log_->info(fmt::format("aborted with status {}", *aborted_));
  write_traces(Traces::now);
  tell_strayed_waits();
  if (controller_) {
    result.failure = controller_->failure();
    controller_->close(static_cast<ExitStatus>(*aborted_));
    if (setup_.requests) setup_.requests->dying.store(false, std::memory_order_release);
    seam::sleep_until(seam::now() + last_flush);
  }
  if (!setup_.ranks_share_process) return result;
  shared_.stop.request_stop();
  given_up_.store(true, std::memory_order_release);
  endpoint_->end_waits("the program has failed");
  endpoint_->fail_all_calls("the program has failed");
  tasks_->close("the program has failed");
  for (const auto& node : nodes_) node->slot().close("the program has failed");
  if (setup_.edge_faults) setup_.edge_faults->drop_calls_of(*endpoint_);
  const seam::Time limit = seam::now() + patience_with_user_code;
  while (!user_code_ended() && seam::now() < limit) {
    (void)events_.next(seam::now() + look_around / 10);
  }
  if (!user_code_ended()) return result;
  constructor_thread_.join();
  if (body_thread_.joinable()) body_thread_.join();
  for (const auto& node : nodes_) node->join();
  for (auto node = nodes_.rbegin(); node != nodes_.rend(); ++node) (*node)->destroy();
  endpoint_->stop();
  result.clean = true;
  return result;
}

}  // namespace slipway::detail

namespace slipway {

RankResult run_rank(const RankSetup& setup) {
  auto runtime = std::make_unique<detail::RankRuntime>(setup);
  RankResult result;
  try {
    result = runtime->run();
  } catch (const std::exception& error) {
    runtime->leave_without_end(error);
    throw;
  }
  // Threads of user code that did not end still use it: it stays until the process goes.
  if (!result.clean) static_cast<void>(runtime.release());
  return result;
}

}  // namespace slipway
