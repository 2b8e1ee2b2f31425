// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "slipway/rpc/archive.hpp"
#include "slipway/rpc/blocking_call.hpp"
#include "slipway/rpc/call.hpp"
#include "slipway/rpc/combine.hpp"
#include "slipway/rpc/faulty_call.hpp"
#include "slipway/rpc/future.hpp"
#include "slipway/rpc/retry.hpp"
#include "slipway/rpc/shared_call.hpp"

// How nodes call each other: handle.call<&T::method>(arguments...).
namespace slipway {

template <class T>
class Handle;

// A handle with options for the calls made through it.
template <class T>
class BoundHandle {
 public:
  BoundHandle(NodeId node, CallOptions options) : node_(node), options_(options) {}

  template <auto Method, class... Args>
  auto call(Args&&... args) const {
    if constexpr (idempotent<Method>) {
      if (options_.retries > 0) {
        return detail::call_with_retries<T, Method>(node_, options_, std::forward<Args>(args)...);
      }
    }
    return detail::call<T, Method>(node_, options_, std::forward<Args>(args)...);
  }
  template <auto Method, class... Args>
  auto get(Args&&... args) const {
    if (options_.retries > 0) return call<Method>(std::forward<Args>(args)...).get();
    return detail::call_and_get<T, Method>(node_, options_, std::forward<Args>(args)...);
  }
  template <auto Method, class... Args>
  void post(Args&&... args) const {
    detail::post<T, Method>(node_, options_, std::forward<Args>(args)...);
  }
  template <auto Method, class... Args>
  auto try_call(Args&&... args) const {
    return detail::try_call<T, Method>(node_, options_, std::forward<Args>(args)...);
  }

 private:
  NodeId node_;
  CallOptions options_;
};

// A typed name of a node, and the right to call it. Copyable, serializable, small. Any thread of a rank may call.
// Errors of a call come out of its future; calling itself throws only Stopped (the program ends), Timeout (no room in
// the node's window within the call's time) and UsageError (no program runs).
template <class T>
class Handle {
 public:
  using node_type = T;
  using slipway_handle_tag = void;
  using slipway_not_raw = void;

  Handle() = default;
  explicit Handle(NodeId node, std::uint64_t program = 0) : node_(node), program_(program) {}
  // A handle of a derived class is one of its base.
  template <class Derived>
    requires(std::derived_from<Derived, T> && !std::same_as<Derived, T>)
  Handle(const Handle<Derived>& other) : node_(other.node()), program_(other.program()) {
    detail::UpcastRow<Derived, T>::use();
  }

  // One call; the future gets its outcome. Arguments are values: lvalues are copied, rvalues moved.
  template <auto Method, class... Args>
  auto call(Args&&... args) const {
    return with({}).template call<Method>(std::forward<Args>(args)...);
  }
  // call and get in one; runs an idle node of this rank on this very thread. Without a time limit lvalues are not copied
  // on their way to an idle node of this rank or to another rank: nobody may change them meanwhile.
  template <auto Method, class... Args>
  auto get(Args&&... args) const {
    return with({}).template get<Method>(std::forward<Args>(args)...);
  }
  // One-way: no outcome comes back. An exception in the handler fails the node.
  template <auto Method, class... Args>
  void post(Args&&... args) const {
    with({}).template post<Method>(std::forward<Args>(args)...);
  }
  // Nothing when the node's window is full, where call would wait.
  template <auto Method, class... Args>
  auto try_call(Args&&... args) const {
    return with({}).template try_call<Method>(std::forward<Args>(args)...);
  }

  BoundHandle<T> with(CallOptions options) const { return {node_, options}; }

  explicit operator bool() const { return static_cast<bool>(node_); }
  NodeId node() const { return node_; }
  std::uint64_t program() const { return program_; }
  friend bool operator==(const Handle& a, const Handle& b) { return a.node_ == b.node_; }

  template <class F>
  void visit_nodes(F&& f) const {
    f(node_, program_);
  }
  template <class Archive>
  std::uint32_t save_minimal(const Archive&) const {
    return node_.value();
  }
  template <class Archive>
  void load_minimal(const Archive&, const std::uint32_t& value) {
    node_ = NodeId(value);
  }

 private:
  NodeId node_;
  std::uint64_t program_ = 0;  // of definition; tells handles of another Program
};

// An ordered set of nodes of one type, as handles.
template <class T>
class Group {
 public:
  using node_type = T;
  using slipway_handle_tag = void;
  using slipway_not_raw = void;

  Group() = default;
  explicit Group(std::vector<Handle<T>> members) : members_(std::move(members)) {}

  std::size_t size() const { return members_.size(); }
  const Handle<T>& operator[](std::size_t index) const { return members_[index]; }
  auto begin() const { return members_.begin(); }
  auto end() const { return members_.end(); }

  // The same call to every member; one future each, in the members' order. They share one copy of the arguments.
  template <auto Method, class... Args>
  auto call_all(const Args&... args) const {
    return call_all_with<Method>({}, args...);
  }
  template <auto Method, class... Args>
  auto call_all_with(CallOptions options, const Args&... args) const {
    std::vector<decltype(members_[0].template call<Method>(args...))> futures;
    futures.reserve(size());
    if (options.retries > 0) {  // each keeps its arguments for the next try
      for (const auto& member : members_) futures.push_back(member.with(options).template call<Method>(args...));
    } else {
      const detail::SharedCall<T, Method, Args...> shared(options, args...);
      for (const auto& member : members_) futures.push_back(shared.call(member.node()));
    }
    detail::flush_calls();
    return futures;
  }
  // One argument a member: arguments[i] goes to member i. UsageError unless there are as many as members.
  template <auto Method, class Arg>
  auto scatter(std::vector<Arg> arguments) const {
    detail::check_scatter(arguments.size(), size());
    std::vector<decltype(members_[0].template call<Method>(std::move(arguments[0])))> futures;
    futures.reserve(size());
    for (std::size_t i = 0; i < size(); ++i) {
      futures.push_back(members_[i].template call<Method>(std::move(arguments[i])));
    }
    detail::flush_calls();
    return futures;
  }
  template <auto Method, class... Args>
  void post_all(const Args&... args) const {
    const detail::SharedCall<T, Method, Args...> shared({}, args...);
    for (const auto& member : members_) shared.post(member.node());
    detail::flush_calls();
  }
  // The member with the fewest calls of this rank in flight; the first of these.
  const Handle<T>& least_loaded() const { return members_[detail::least_loaded(*this)]; }
  template <auto Method, class... Args>
  auto call_any(Args&&... args) const {
    return least_loaded().template call<Method>(std::forward<Args>(args)...);
  }

  template <class F>
  void visit_nodes(F&& f) const {
    for (const auto& member : members_) member.visit_nodes(f);
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(members_);
  }

 private:
  std::vector<Handle<T>> members_;
};

}  // namespace slipway
