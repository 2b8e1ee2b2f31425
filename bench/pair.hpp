// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <slipway/slipway.hpp>

#include "effort.hpp"

namespace bench {

// The main of a program of two nodes: a service on rank 1, and on rank 0 who calls it. Flag: --effort PERCENT.
template <class Service, class Caller>
int run_pair(const char* program_name, int argc, char** argv) {
  slipway::Options options(argc, argv);
  const Effort effort = effort_from(argc, argv);

  slipway::Program program(program_name);
  auto service = program.with({.wishes = {.on_rank = slipway::RankId(1)}}).template node<Service>("service");
  program.with({.wishes = {.on_rank = slipway::RankId(0)}}).template node<Caller>("caller", service, effort);
  return slipway::launch(program, options);
}

}  // namespace bench
