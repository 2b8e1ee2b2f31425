// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "../runtime_contract/everywhere.hpp"

namespace slipway::test {

struct NothingToDo {
  void run() {}
};

// A program whose body does this on rank 0.
template <class Body>
testing::Result run_body(const Conditions& setup, Body&& body) {
  Program program("tasks");
  program.node<NothingToDo>("nothing");
  return testing::run(program, setup, [&](Running&) { body(); });
}

}  // namespace slipway::test
