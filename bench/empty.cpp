// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <slipway/slipway.hpp>

// What a program costs that does nothing; bench/raw_empty.cpp is the same in plain MPI.
namespace {

struct Nothing {
  void run() {}
};

}  // namespace

int main(int argc, char** argv) {
  slipway::Program program("bench_empty");
  program.node<Nothing>("nothing");
  return slipway::launch(program, argc, argv);
}
