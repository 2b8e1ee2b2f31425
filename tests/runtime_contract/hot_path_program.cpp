// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
// A warm rank takes no memory from the allocator for a small call: counted on the thread that calls and on the one that
// serves.
#include <array>
#include <slipway/slipway.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "mpi_transport/allocations.hpp"

namespace {

using Message = std::array<char, 64>;

struct Counted {
  long allocations = 0;
  std::uint64_t thread = 0;
};

struct Echo {
  Message reply(const Message& message) { return message; }
  void note(const Message&) {}
  Counted counted() { return {slipway::test::allocations(), std::hash<std::thread::id>()(std::this_thread::get_id())}; }
};

struct Caller {
  slipway::Handle<Echo> echo;

  void call_in_every_way() {
    std::vector<slipway::Future<Message>> replies;
    for (int round = 0; round < 20; ++round) {
      for (int i = 0; i < 200; ++i) echo.get<&Echo::reply>(Message{});
      for (int i = 0; i < 200; ++i) echo.post<&Echo::note>(Message{});
      replies.clear();
      replies.reserve(200);
      for (int i = 0; i < 200; ++i) replies.push_back(echo.call<&Echo::reply>(Message{}));
      for (auto& reply : replies) reply.get();
    }
  }

  void run() {
    call_in_every_way();
    constexpr long rounds = 1;  // the vector's own
    for (int attempt = 0; attempt < 10; ++attempt) {
      const Counted served_before = echo.get<&Echo::counted>();
      const long before = slipway::test::allocations();
      call_in_every_way();
      const long own = slipway::test::allocations() - before;
      const Counted served = echo.get<&Echo::counted>();
      if (own > rounds) continue;  // a wait that became long, on a busy machine, is put on record
      if (served.thread != served_before.thread) continue;
      if (served.allocations == served_before.allocations) return;
    }
    throw std::runtime_error("12,000 small calls took memory from the allocator, ten times in a row");
  }
};

}  // namespace

int main(int argc, char** argv) {
  slipway::Program program("hot_path");
  auto echo = program.with({.wishes = {.on_rank = slipway::RankId(1)}}).node<Echo>("echo");
  program.with({.wishes = {.on_rank = slipway::RankId(0)}}).node<Caller>("caller", echo);
  return slipway::launch(program, argc, argv);
}
