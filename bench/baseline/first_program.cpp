// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

// examples/producer_consumer without slipway, and with the headers that any program of threads includes: what compiling
// the first program is measured against.
class Producer {
 public:
  explicit Producer(int seed) : random_(static_cast<unsigned>(seed)) {}

  int draw(int bound) { return static_cast<int>(random_() % static_cast<unsigned>(bound)); }

 private:
  std::mt19937 random_;
};

struct Consumer {
  std::vector<Producer> producers;

  void run() {
    int sum = 0;
    for (int round = 0; round < 10; ++round) {
      for (auto& producer : producers) sum += producer.draw(100);
    }
    std::printf("the sum of %zu draws is %d\n", 10 * producers.size(), sum);
  }
};

int main() {
  Consumer consumer;
  for (int index = 0; index < 3; ++index) consumer.producers.emplace_back(index);
  consumer.run();
}
