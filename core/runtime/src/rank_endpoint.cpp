// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0

// What a rank's calls and tasks are made of, and what they tell the rank.
#include <fmt/format.h>

#include <memory>
#include <utility>

#include "endings.hpp"
#include "rank_runtime.hpp"
#include "slipway/base/error.hpp"
#include "slipway/observe/status.hpp"
#include "slipway/runtime/replay.hpp"
#include "spin.hpp"
#include "task_capacity.hpp"

namespace slipway::detail {

namespace {

constexpr seam::Time between_traces = 100'000'000;

}  // namespace

void RankRuntime::start_endpoint() {
  EndpointSettings settings{.cpus = setup_.pool_threads,
                            .max_blocked = settings_.max_blocked,
                            .window_calls = settings_.window_calls,
                            .window_bytes = settings_.window_bytes,
                            .spin = settings_.spin != 0 ? settings_.spin : chosen_spin(agreement_, shared_.rank),
                            .serialize_local = settings_.serialize_local,
                            .stall_after = settings_.stall_after.count(),
                            .place = &place_,
                            .program = shared_.program,
                            .edge_faults = setup_.edge_faults};
  std::vector<NodePlace> places;
  const Graph& graph = setup_.program->graph();
  for (std::size_t node = 0; node < graph.nodes().size(); ++node) {
    places.push_back({agreement_.placement.rank_of_node[node], graph.nodes()[node].label});
  }
  const NodeId first_node_of_tasks = TaskSystem::add_nodes(places, shared_.ranks);
  EndpointEvents events;
  events.on_control = [this](RankId from, std::string_view body) {
    try {
      events_.push({from, control_from(body)});
    } catch (const WireError& error) {
      log_->error(fmt::format("control message of rank {}: {}", from.value(), error.what()));
    }
  };
  events.on_peer_lost = [this](RankId peer, const std::string& reason) {
    events_.push({peer, {.kind = ControlKind::peer_lost, .number = peer.value(), .text = reason}});
  };
  events.on_node_failure = [this](NodeId node, const std::string& type, const std::string& text, bool) {
    const std::string& label = setup_.program->graph().node(node).label;
    log_->write(LogLevel::error, label, "a handler failed: " + type + ": " + text);
    const FirstFailure failure{.node = label,
                               .rank = shared_.rank.value(),
                               .host = shared_.host,
                               .type = type,
                               .text = "a posted call: " + text,
                               .log_file = log_->file().string()};
    events_.push({shared_.rank, {.kind = ControlKind::own_failure, .text = to_json(failure)}});
  };
  events.on_stall = [this](const std::string& report) {
    log_->warning("who waits for whom:\n" + report);
    print_to_stderr(fmt::format("slipway: rank {} waits longer than {}:\n{}", shared_.rank.value(),
                                format_duration(settings_.stall_after), report));
  };
  endpoint_ = std::make_unique<Endpoint>(transport_, settings, std::move(places), *log_, std::move(events));
  shared_.endpoint = endpoint_.get();
  tasks_ = std::make_unique<TaskSystem>(*endpoint_,
                                        TaskSettings{.seed = settings_.seed,
                                                     .most_tasks = settings_.most_tasks,
                                                     .stays_from = settings_.stays_from,
                                                     .lose_values = settings_.lose_values,
                                                     .lose_tasks = settings_.lose_tasks},
                                        first_node_of_tasks, capacities_for_tasks(setup_, agreement_));
  endpoint_->set_tasks(tasks_.get());
  if (directory_ && settings_.task_events > 0) {
    tasks_->trace_into(directory_.task_events_file(shared_.rank.value(), settings_.attempt),
                       {.rank = shared_.rank.value(), .cores = setup_.pool_threads, .host = shared_.host},
                       settings_.task_events);
  }
  if (directory_ && settings_.log_waits > 0) {
    tasks_->log_waits_into(directory_.wait_log_file(shared_.rank.value(), settings_.attempt), settings_.log_waits);
  }
  tasks_->repeat_waits(waits_to_repeat(settings_, shared_.rank.value()));
}

void RankRuntime::tell_strayed_waits() {
  const std::uint64_t strayed = tasks_->strayed_waits();
  if (strayed == 0) return;
  const std::string text = fmt::format(
      "{} waits of rank {} do not fit those of {}: another program, other flags or inputs, or a log that was full",
      strayed, shared_.rank.value(), settings_.replay);
  log_->warning(text);
  print_to_stderr("slipway: " + text + "\n");
}

void RankRuntime::write_traces(Traces when) {
  const seam::Time now = seam::now();
  if (when == Traces::when_due && now < next_traces_) return;
  next_traces_ = now + between_traces;
  try {
    tasks_->write_traces();
  } catch (const Error& error) {
    log_->warning(fmt::format("tasks leave no trace from now on: {}", error.what()));
  }
}

}  // namespace slipway::detail
