// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/runtime/program.hpp"

#include <cxxabi.h>

#include <atomic>
#include <cstdlib>

namespace slipway {

namespace {

std::uint64_t next_program_id() {
  static std::atomic<std::uint64_t> programs{0};
  return programs.fetch_add(1) + 1;
}

}  // namespace

Program::Program(std::string name) : graph_(std::move(name)), id_(next_program_id()) {}

void Program::add_edge(NodeId from, NodeId to, std::uint64_t program) {
  if (program == id_ && to.index() < graph_.nodes().size()) {
    graph_.add_edge(from, to);
    return;
  }
  graph_.add_problem("node '" + graph_.node(from).label +
                     "' was given a handle that is not of this program (it names no node, or a node of another "
                     "Program object). Give it what node, group or declare of this one returned");
}

namespace detail {

std::string type_name(const std::type_info& type) {
  int status = 0;
  char* const demangled = abi::__cxa_demangle(type.name(), nullptr, nullptr, &status);
  std::string name = status == 0 && demangled ? demangled : type.name();
  std::free(demangled);
  return name;
}

}  // namespace detail
}  // namespace slipway
