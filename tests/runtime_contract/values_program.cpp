// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <memory>
#include <slipway/slipway.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "runtime_contract/counted.hpp"

// Contract 5 over whatever launch chooses: a worker on rank 0 sends values of telling sizes to the services of the last
// rank, and throws where one comes back changed or was copied on its way.
namespace {

using slipway::test::Counted;
using Bytes = std::vector<std::uint8_t>;

void require(bool holds, const std::string& what) {
  if (!holds) throw std::logic_error(what);
}

struct Mirror {
  Bytes bytes(const Bytes& value) { return value; }
  slipway::Buffer<double> buffer(slipway::Buffer<double> value) { return value; }
  std::string text(std::string value) { return value; }
  double sum(const Counted& array) { return array.sum(); }
  double slow_sum(const Counted& array) {
    slipway::seam::sleep_until(slipway::seam::after(std::chrono::milliseconds(50)));
    return array.sum();
  }
};

struct Sender {
  slipway::Group<Mirror> mirrors;

  void run() {
    for (const std::size_t size : {0, 1, 1000, 14'999, 15'000, 15'001, 16'300, 16'384, 16'500, 1 << 20, 9 << 20})
      send(size);
    // Inside a rank a handler takes what is there, and a wait may run it.
    if (slipway::detail::Endpoint::of_this_thread().local(mirrors[0].node())) return;
    count_copies();
    let_go_after_timeout();
  }

  void send(std::size_t size) {
    Bytes bytes(size);
    for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>(i * 2654435761U >> 7);
    const std::string what = "of " + std::to_string(size) + " bytes";
    const auto& mirror = mirrors[0];
    require(mirror.get<&Mirror::bytes>(bytes) == bytes, "get " + what);
    require(mirror.call<&Mirror::bytes>(bytes).get() == bytes, "call " + what);
    const std::string text(bytes.begin(), bytes.end());
    require(mirror.get<&Mirror::text>(text) == text, "text " + what);
    slipway::Buffer<double> numbers(size / sizeof(double));
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(i);
    const auto back = mirror.get<&Mirror::buffer>(numbers.clone());
    require(std::equal(back.begin(), back.end(), numbers.begin(), numbers.end()), "buffer " + what);
    for (auto& each : mirrors.call_all<&Mirror::bytes>(bytes)) require(each.get() == bytes, "call_all " + what);
  }

  void count_copies() {
    const Counted array(1'000'000, 1.0);
    const int before = Counted::copies;
    for (int i = 0; i < 10; ++i) require(mirrors[0].get<&Mirror::sum>(array) == 1e6, "the sum");
    require(Counted::copies == before, "a blocking get copies");
    for (auto& each : mirrors.call_all<&Mirror::sum>(array)) require(each.get() == 1e6, "the sum of each");
    require(Counted::copies == before + 1, "call_all keeps more than one copy");
  }

  void let_go_after_timeout() {
    for (int i = 0; i < 5; ++i) {
      auto array = std::make_unique<Counted>(1'000'000, 1.0);
      try {
        mirrors[0].with({.timeout = std::chrono::milliseconds(1)}).get<&Mirror::slow_sum>(*array);
        throw std::logic_error("no timeout");
      } catch (const slipway::CallError&) {
      }
      array.reset();
      require(mirrors[0].get<&Mirror::slow_sum>(Counted(100, 2.0)) == 200, "after the timeout");
    }
  }
};

}  // namespace

int main(int argc, char** argv) {
  const slipway::Options options(argc, argv);
  slipway::Program program("values");
  slipway::NodeOptions first;
  first.wishes.on_rank = slipway::RankId(0);
  slipway::NodeOptions last;
  last.wishes.on_rank = slipway::RankId(options.settings().ranks - 1);
  const auto mirrors = program.with(last).group<Mirror>("mirror", 3);
  program.with(first).node<Sender>("sender", mirrors);
  return slipway::launch(program, options);
}
