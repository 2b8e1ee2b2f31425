// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <random>
#include <slipway/slipway.hpp>
#include <tuple>

// Any class is a service: its public methods can be called from other nodes, on whichever rank they are.
class Producer {
 public:
  explicit Producer(int seed) : random_(static_cast<unsigned>(seed)) {}

  int draw(int bound) { return static_cast<int>(random_() % static_cast<unsigned>(bound)); }

 private:
  std::mt19937 random_;
};

// A class with run() is a worker: the program ends when all workers have returned.
struct Consumer {
  slipway::Group<Producer> producers;

  void run(slipway::Context& context) {
    int sum = 0;
    for (int round = 0; round < 10; ++round) {
      auto draws = producers.call_all<&Producer::draw>(100);  // one Future<int> a producer, all under way at once
      for (auto& draw : draws) sum += draw.get();
    }
    context.log("the sum of {} draws is {}", 10 * producers.size(), sum);
  }
};

int main(int argc, char** argv) {
  slipway::Program program("producer_consumer");
  auto producers = program.group<Producer>("producer", 3, [](int index) { return std::tuple(index); });
  program.node<Consumer>("consumer", producers);
  return slipway::launch(program, argc, argv);
}
