// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <mpi.h>

#include <cstdint>
#include <slipway/mpi/gang_communicator.hpp>
#include <slipway/slipway.hpp>
#include <stdexcept>
#include <string>
#include <vector>

// Gangs over MPI processes: their communicators join the right ranks, while other calls and tasks go on, and gangs of
// many owners never wait for each other.
namespace {

void require(bool holds, const std::string& what) {
  if (!holds) throw std::logic_error(what);
}

// By collectives that differ in their result if a member is missing, in another order, or of another gang.
std::int64_t exchange(slipway::Gang& gang, std::int64_t number) {
  const auto communicator = slipway::mpi_communicator<MPI_Comm>(gang);
  int rank = -1;
  int size = 0;
  MPI_Comm_rank(communicator, &rank);
  MPI_Comm_size(communicator, &size);
  require(static_cast<std::uint32_t>(rank) == gang.rank(), "its number is its rank");
  require(static_cast<std::uint32_t>(size) == gang.size(), "all members are in it");
  std::int64_t sum = 0;
  for (int round = 0; round < 50; ++round) {
    const std::int64_t mine = number * (rank + 1) + round;
    MPI_Allreduce(&mine, &sum, 1, MPI_INT64_T, MPI_SUM, communicator);
    require(sum == number * size * (size + 1) / 2 + std::int64_t{round} * size, "the sum over all members");
  }
  return sum;
}
bool refuses_other_types(slipway::Gang& gang) {
  try {
    static_cast<void>(slipway::mpi_communicator<double>(gang));
    return false;
  } catch (const slipway::UsageError&) {
    return true;
  }
}
std::uint32_t own_rank_of(slipway::Gang& gang) { return gang.ranks()[gang.rank()].value(); }

struct Echo {
  int echo(int value) { return value; }
  std::size_t count(const std::vector<double>& values) { return values.size(); }
};

struct Submitter {
  slipway::Group<Echo> echoes;  // on all ranks
  std::int64_t index = 0;

  void run() {
    const std::uint32_t ranks = slipway::detail::Endpoint::of_this_thread().ranks();
    for (std::uint32_t round = 0; round < 10; ++round) {
      const std::uint32_t size = 1 + (round + static_cast<std::uint32_t>(index)) % ranks;
      const std::int64_t number = 100 * index + round;
      const auto sums = slipway::gang<&exchange>(size, number);
      // In chunks, by the communicator from which those of gangs are made.
      auto counts = echoes.call_all<&Echo::count>(std::vector<double>(300'000));
      for (const auto& echo : echoes) require(echo.get<&Echo::echo>(7) == 7, "calls go on");
      for (auto& count : counts) require(count.get() == 300'000, "large calls go on");
      for (const auto& sum : sums) {
        require(slipway::get(sum) == number * size * (size + 1) / 2 + 49 * size, "a member's result");
      }
    }
    for (const auto& refused : slipway::gang<&refuses_other_types>(ranks)) require(slipway::get(refused), "its type");
    const auto all = slipway::gang<&own_rank_of>(ranks);
    for (std::uint32_t member = 0; member < ranks; ++member) {
      require(slipway::get(all[member]) == member, "a gang of all ranks has them in order");
    }
  }
};

}  // namespace

int main(int argc, char** argv) {
  slipway::Program program("gangs_program");
  const auto echoes = program.group<Echo>("echo", 5, [](int) { return std::tuple(); });
  program.group<Submitter>("submitter", 2, [&](int index) { return std::tuple(echoes, std::int64_t{index}); });
  return slipway::launch(program, argc, argv);
}
