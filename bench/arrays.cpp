// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <slipway/slipway.hpp>
#include <vector>

#include "measure.hpp"
#include "pair.hpp"

// 64 MiB as an argument and as a result, between ranks 0 and 1, in the shapes that bench/raw_arrays.cpp gives plain
// MPI: sent from memory in use, received into a new vector, or into the recycled memory of a Buffer. Flag: --effort
// PERCENT.
namespace {

using bench::Clock;
using Array = std::vector<char>;
using Buffer = slipway::Buffer<char>;

constexpr std::size_t bytes = std::size_t{64} << 20U;

// Untouched pages all read as one page of zeros, which would be sent from the cache.
void touch_recycled_memory() {
  Buffer buffer(bytes);
  std::ranges::fill(buffer, 'x');
}

class Store {
 public:
  Store() : kept_(std::make_shared<const Array>(bytes, 'x')) { touch_recycled_memory(); }
  void take(const Array&) {}
  void take_buffer(Buffer) {}
  std::shared_ptr<const Array> give() { return kept_; }
  Buffer give_buffer() { return Buffer(bytes); }

 private:
  std::shared_ptr<const Array> kept_;
};

struct Caller {
  slipway::Handle<Store> store;
  bench::Effort effort;

  void run() {
    touch_recycled_memory();
    const Array array(bytes, 'x');
    print("argument_fresh_gb_per_s", [&] { store.get<&Store::take>(array); });
    print("result_fresh_gb_per_s", [&] { store.get<&Store::give>(); });
    print("argument_recycled_gb_per_s", [&] { store.get<&Store::take_buffer>(Buffer(bytes)); });
    print("result_recycled_gb_per_s", [&] { store.get<&Store::give_buffer>(); });
  }

  template <class Transfer>
  void print(const char* name, Transfer transfer) {
    const int transfers = effort.of(8);
    bench::print_figure(name, bench::median([&] {
                          const auto start = Clock::now();
                          for (int i = 0; i < transfers; ++i) transfer();
                          return static_cast<double>(bytes) * transfers / bench::seconds_since(start) / 1e9;
                        }));
  }
};

}  // namespace

int main(int argc, char** argv) { return bench::run_pair<Store, Caller>("bench_arrays", argc, argv); }
