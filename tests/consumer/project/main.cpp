// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <slipway/slipway.hpp>

#include <cstdio>
#include <tuple>

struct Producer {
  explicit Producer(int first) : next(first) {}
  int draw(int step) { return next += step; }
  int next;
};

struct Consumer {
  slipway::Group<Producer> producers;
  void run(slipway::Context&) {
    int sum = 0;
    for (auto& draw : producers.call_all<&Producer::draw>(100)) sum += draw.get();
    std::printf("sum %d\n", sum);
  }
};

int main(int argc, char** argv) {
  slipway::Program program("consumer");
  auto producers = program.group<Producer>("producer", 3, [](int index) { return std::tuple(index); });
  program.node<Consumer>("consumer", producers);
  return slipway::launch(program, argc, argv);
}
