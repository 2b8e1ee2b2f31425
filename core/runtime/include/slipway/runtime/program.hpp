// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "slipway/graph/graph.hpp"
#include "slipway/rpc/edges.hpp"
#include "slipway/rpc/handle.hpp"
#include "slipway/runtime/context.hpp"

// The typed description of a program: nodes and who holds handles to whom. Building it runs nothing.
namespace slipway {

enum class NodeThread : std::uint8_t {
  pool,  // handlers run on the rank's pool
  own,   // the node is built, called and destroyed on one thread of its own (CUDA contexts, interpreters, OpenMP teams)
};

// How a node runs and what it needs. Members keep their order for ever; new ones go last (designated initialisers).
struct NodeOptions {
  Resources resources;
  Wishes wishes;
  std::uint32_t concurrency = 1;  // handlers at once; 1: serial, needs no locks
  bool interleave = false;        // others are admitted while a coroutine handler is suspended
  NodeThread thread = NodeThread::pool;
};

// An argument made on the node's own rank, when the node is built: large data, file handles.
template <class F>
struct Deferred {
  F make;
};
template <class F>
Deferred<std::decay_t<F>> deferred(F&& make) {
  return {std::forward<F>(make)};
}

namespace detail {

// How to build, run and destroy one node; types erased.
struct NodeDefinition {
  std::function<void*(Context&)> build;
  void (*destroy)(void*) = nullptr;
  void (*run)(void*, Context&) = nullptr;  // nullptr: a service
  const std::type_info* type = nullptr;
  Admission admission;
};

template <class A>
struct DeferredResult {
  using type = A;
};
template <class F>
struct DeferredResult<Deferred<F>> {
  using type = std::invoke_result_t<F>;
};
template <class A>
A undefer(A& argument) {
  if constexpr (std::is_copy_constructible_v<A>) {
    return argument;  // a program may run again, as in tests
  } else {
    return std::move(argument);
  }
}
template <class F>
auto undefer(Deferred<F>& argument) {
  return argument.make();
}

template <class T, class... A>
concept TakesContext = std::is_constructible_v<T, Context&, A...> || requires(Context& c, A&&... a) {
  T{c, std::forward<A>(a)...};
};
template <class T, class... A>
concept TakesArguments = std::is_constructible_v<T, A...> || requires(A&&... a) {
  T{std::forward<A>(a)...};
};

template <class T, class... A>
T* build_node(Context& context, A&&... arguments) {
  if constexpr (std::is_constructible_v<T, Context&, A...>) {
    return new T(context, std::forward<A>(arguments)...);
  } else if constexpr (std::is_constructible_v<T, A...>) {
    return new T(std::forward<A>(arguments)...);
  } else if constexpr (requires { T{context, std::forward<A>(arguments)...}; }) {
    return new T{context, std::forward<A>(arguments)...};
  } else {
    return new T{std::forward<A>(arguments)...};
  }
}

template <class T>
constexpr void check_node_type() {
  static_assert(std::is_class_v<T> && !std::is_const_v<T> && !std::is_abstract_v<T>,
                "slipway: a node's type is a class that can be constructed");
  static_assert(std::is_destructible_v<T>, "slipway: a node's class needs a public destructor");
  if constexpr (HasRun<T>) {
    static_assert(
        requires(T & node, Context & context) { node.run(context); } || requires(T & node) { node.run(); },
        "slipway: a worker's run takes nothing, or slipway::Context&");
  }
}

template <class T, class... A>
constexpr void check_constructor() {
  static_assert(
      TakesContext<T, typename DeferredResult<A>::type...> || TakesArguments<T, typename DeferredResult<A>::type...>,
      "slipway: the node's class has no constructor that takes these arguments");
}

template <class T>
void (*run_function())(void*, Context&) {
  if constexpr (requires(T & node, Context & context) { node.run(context); }) {
    return [](void* node, Context& context) { static_cast<T*>(node)->run(context); };
  } else if constexpr (requires(T & node) { node.run(); }) {
    return [](void* node, Context&) { static_cast<T*>(node)->run(); };
  } else {
    return nullptr;
  }
}

std::string type_name(const std::type_info& type);

template <class Arguments>
auto as_tuple(Arguments&& arguments) {
  if constexpr (requires { std::tuple_size<std::remove_cvref_t<Arguments>>::value; }) {
    return std::forward<Arguments>(arguments);
  } else {
    return std::tuple<std::decay_t<Arguments>>(std::forward<Arguments>(arguments));
  }
}

}  // namespace detail

class Program;

// A Program with options for the nodes defined through it: program.with({.concurrency = 4}).node<T>("label", ...).
class ProgramWith {
 public:
  ProgramWith(Program& program, NodeOptions options) : program_(program), options_(std::move(options)) {}
  template <class T, class... Args>
  Handle<T> node(const std::string& label, Args&&... args);
  template <class T, class Factory>
  Group<T> group(const std::string& label, std::size_t size, Factory&& factory);
  template <class T>
  Group<T> group(const std::string& label, std::size_t size) {
    return group<T>(label, size, [](int) { return std::tuple<>(); });
  }
  template <class T>
  Handle<T> declare(const std::string& label);

 private:
  Program& program_;
  NodeOptions options_;
};

// Not thread-safe. Mistakes (undefined declarations, labels used twice, handles of other programs, ...) are told all at
// once by launch, before anything starts. The same program must be built on every rank.
class Program {
 public:
  explicit Program(std::string name);
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  // A node of class T, built from these arguments on one rank. Handles among them, at any depth, are edges.
  template <class T, class... Args>
  Handle<T> node(const std::string& label, Args&&... args) {
    return with({}).template node<T>(label, std::forward<Args>(args)...);
  }
  // Nodes label/0 … label/(size-1); `factory(index)` gives the arguments of each, as a tuple or as one value. It runs
  // on every rank, here and now.
  template <class T, class Factory>
  Group<T> group(const std::string& label, std::size_t size, Factory&& factory) {
    return with({}).template group<T>(label, size, std::forward<Factory>(factory));
  }
  template <class T>
  Group<T> group(const std::string& label, std::size_t size) {
    return group<T>(label, size, [](int) { return std::tuple<>(); });
  }
  // A node that others may hold handles to before its own arguments are known: for cycles.
  template <class T>
  Handle<T> declare(const std::string& label) {
    return with({}).template declare<T>(label);
  }
  template <class T, class... Args>
  void define(const Handle<T>& declared, Args&&... args);

  ProgramWith with(NodeOptions options) { return {*this, std::move(options)}; }
  // How much the caller sends to the callee, in any unit used throughout; edges have 1 otherwise.
  template <class From, class To>
  void traffic(const Handle<From>& caller, const Handle<To>& callee, double amount) {
    graph_.add_edge(caller.node(), callee.node(), amount);
  }

  const std::string& name() const { return graph_.name(); }
  const Graph& graph() const { return graph_; }
  std::uint64_t id() const { return id_; }
  const std::vector<detail::NodeDefinition>& definitions() const { return definitions_; }

 private:
  friend class ProgramWith;

  template <class T>
  NodeSpec spec_of(const std::string& label, const NodeOptions& options) const {
    detail::check_node_type<T>();
    return {.label = label,
            .type = detail::type_name(typeid(T)),
            .resources = options.resources,
            .wishes = options.wishes,
            .worker = detail::run_function<T>() != nullptr,
            .computes = detail::run_function<T>() != nullptr};
  }
  template <class T>
  void describe(NodeId node, const NodeOptions& options) {
    if (definitions_.size() <= node.index()) definitions_.resize(node.index() + 1);
    definitions_[node.index()].type = &typeid(T);
    definitions_[node.index()].admission = {.concurrency = options.concurrency,
                                            .interleave = options.interleave,
                                            .own_thread = options.thread == NodeThread::own};
  }
  template <class T, class... A>
  void set_arguments(NodeId node, std::tuple<A...> arguments) {
    detail::check_constructor<T, A...>();
    std::apply([&](auto&... each) { (collect_edges(node, each), ...); }, arguments);
    auto shared = std::make_shared<std::tuple<A...>>(std::move(arguments));
    detail::NodeDefinition& definition = definitions_[node.index()];
    definition.build = [shared = std::move(shared)](Context& context) -> void* {
      return std::apply(
          [&context](auto&... each) -> T* { return detail::build_node<T>(context, detail::undefer(each)...); },
          *shared);
    };
    definition.destroy = [](void* object) { delete static_cast<T*>(object); };
    definition.run = detail::run_function<T>();
  }
  template <class A>
  void collect_edges(NodeId from, A& argument) {
    for_each_handle(argument, [this, from](NodeId to, std::uint64_t program) { add_edge(from, to, program); });
  }
  template <class F>
  void collect_edges(NodeId, Deferred<F>&) {}
  void add_edge(NodeId from, NodeId to, std::uint64_t program);

  Graph graph_;
  const std::uint64_t id_;
  std::vector<detail::NodeDefinition> definitions_;
};

template <class T, class... Args>
Handle<T> ProgramWith::node(const std::string& label, Args&&... args) {
  const NodeId node = program_.graph_.add_node(program_.spec_of<T>(label, options_));
  program_.describe<T>(node, options_);
  program_.set_arguments<T>(node, std::tuple<std::decay_t<Args>...>(std::forward<Args>(args)...));
  return Handle<T>(node, program_.id_);
}

template <class T, class Factory>
Group<T> ProgramWith::group(const std::string& label, std::size_t size, Factory&& factory) {
  const GroupId group = program_.graph_.add_group(program_.spec_of<T>(label, options_), size);
  std::vector<Handle<T>> handles;
  const std::vector<NodeId> members = program_.graph_.group(group).members;
  for (std::size_t index = 0; index < members.size(); ++index) {
    program_.describe<T>(members[index], options_);
    program_.set_arguments<T>(members[index], detail::as_tuple(factory(static_cast<int>(index))));
    handles.emplace_back(members[index], program_.id_);
  }
  return Group<T>(std::move(handles));
}

template <class T>
Handle<T> ProgramWith::declare(const std::string& label) {
  const NodeId node = program_.graph_.declare_node(program_.spec_of<T>(label, options_));
  program_.describe<T>(node, options_);
  return Handle<T>(node, program_.id_);
}

template <class T, class... Args>
void Program::define(const Handle<T>& declared, Args&&... args) {
  graph_.define(declared.node());
  set_arguments<T>(declared.node(), std::tuple<std::decay_t<Args>...>(std::forward<Args>(args)...));
}

}  // namespace slipway
