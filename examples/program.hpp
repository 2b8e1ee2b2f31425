// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <iostream>
#include <slipway/runtime/options.hpp>

#include "flags.hpp"

// The main() of the examples.
namespace examples {

// `run` gets what the command line says, slipway's flags (--slipway-...) and the example's own, and launches its
// program. What is wrong before the launch, bad flags mostly, is told here.
inline int run_example(const char* name, int (*run)(slipway::Options&, Flags&), int argc, char** argv) {
  try {
    slipway::Options options(argc, argv);  // takes its flags out of argv
    Flags flags(argc, argv);
    return run(options, flags);
  } catch (const std::exception& error) {
    std::cerr << name << ": " << error.what() << '\n';
    return 2;
  }
}

}  // namespace examples
