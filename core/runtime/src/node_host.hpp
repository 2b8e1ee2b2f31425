// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "control.hpp"
#include "slipway/observe/last_words.hpp"
#include "slipway/observe/log.hpp"
#include "slipway/observe/work.hpp"
#include "slipway/rpc/endpoint.hpp"
#include "slipway/runtime/context.hpp"
#include "slipway/runtime/program.hpp"
#include "slipway/state/saved_state.hpp"

namespace slipway::detail {

// What the nodes of a rank share.
struct RankShared {
  RankId rank;
  std::uint32_t ranks = 1;
  std::string host;
  std::string run_directory;
  std::uint64_t seed = 1;
  std::uint32_t attempt = 1;
  bool show_node_lines = true;  // what nodes log goes to stderr too
  std::uint64_t program = 0;    // hash of the name
  Endpoint* endpoint = nullptr;
  Log* log = nullptr;
  last_words::Rank* place = nullptr;
  EventQueue* events = nullptr;
  std::stop_source stop;
  std::mutex progress_mutex;  // guards progress_text
  std::string progress_text;
  std::atomic<std::uint64_t> progress_number{0};
  WorkCounter work;
  std::atomic<seam::Time> end_expected{seam::never};  // after a notice
  std::atomic<std::uint32_t> saving{0};               // number of the state that nodes save on request; 0: none
  SavedState restored;                                // by an attempt before; may name nothing
};

// One node on its rank, from construction to destruction.
class NodeHost {
 public:
  NodeHost(RankShared& shared, const Node& spec, std::uint32_t group_size, NodeId node,
           const NodeDefinition& definition);
  ~NodeHost();

  // On the calling thread, or on the node's own. Throws what the constructor throws.
  void construct();
  bool is_worker() const { return definition_.run != nullptr; }
  // run() on its own thread; its end is an event.
  void start_worker();
  bool worker_started() const { return worker_.joinable(); }
  bool worker_returned() const { return worker_returned_.load(std::memory_order_acquire); }
  bool threads_ended() const { return live_threads_.load(std::memory_order_acquire) == 0; }  // of start_thread
  void join();  // the worker has returned, and these threads
  // False: the destructor has thrown, and the failure was told. On the thread that built it.
  bool destroy();
  bool built() const { return object_ != nullptr; }

  RankShared& shared() const { return shared_; }
  const Node& spec() const { return spec_; }
  std::uint32_t group_size() const { return group_size_; }
  NodeId node() const { return node_; }
  NodeSlot& slot() const { return *slot_; }
  void start_thread(std::function<void()> body);
  void on_notice(std::function<void(std::chrono::nanoseconds)> hook);
  void on_save(std::function<void(std::ostream&)> hook);
  // Runs the hooks one after the other, on the strand; their end is an event, with what was saved.
  void give_notice(const SavedState& into);
  // The hook for saving alone, in the same way. Where `saving` is another by the time that the strand is free, nothing
  // is saved.
  void save_on_request(const SavedState& into, std::uint32_t number);
  void fail(const std::exception_ptr& error, const std::string& where);
  // Waits until no handler runs, and keeps it so: the caller returns each place to the slot. Throws Stopped.
  void take_all_places();

 private:
  std::string save_state(const SavedState& into, const std::function<void(std::ostream&)>& save) const;
  void join_ended_threads();
  void build();
  void own_thread_life();
  void destroy_object();
  void run_worker();

  RankShared& shared_;
  const Node& spec_;
  const std::uint32_t group_size_;
  const NodeId node_;
  const NodeDefinition& definition_;
  NodeSlot* slot_;
  Context context_;
  void* object_ = nullptr;
  std::exception_ptr build_error_;
  std::atomic<bool> worker_returned_{false};
  seam::Word own_built_{0};
  std::atomic<bool> own_quit_{false};
  bool destructor_threw_ = false;
  struct UserThread {
    seam::Thread thread;
    std::shared_ptr<std::atomic<bool>> ended;
  };
  seam::SpinLock threads_lock_;  // guards user_threads_
  std::vector<UserThread> user_threads_;
  seam::SpinLock exclusive_lock_;  // held while grants are asked for
  seam::SpinLock hooks_lock_;      // guards notice_hooks_ and save_hook_
  std::function<void(std::ostream&)> save_hook_;
  std::vector<std::function<void(std::chrono::nanoseconds)>> notice_hooks_;
  std::atomic<std::uint64_t> threads_begun_{0};
  std::atomic<std::uint32_t> live_threads_{0};
  seam::Thread worker_;
  seam::Thread own_;
};

}  // namespace slipway::detail
