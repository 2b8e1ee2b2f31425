// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "agreement.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "checked_mpi.hpp"

namespace slipway::detail {

void await(MPI_Request& request, seam::Time deadline, const std::string& what, const std::function<void()>& meanwhile) {
  constexpr int tests_before_yield = 64;
  constexpr int tests_before_nap = 256;
  constexpr seam::Time first_nap = 20'000;
  constexpr seam::Time longest_nap = 1'000'000;
  seam::Time nap = first_nap;
  for (int test = 0;; ++test) {
    int done = 0;
    check(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
    if (done) return;
    if (meanwhile) meanwhile();
    if (test < tests_before_yield) continue;
    if (test < tests_before_nap) {
      seam::pause();
      continue;
    }
    const seam::Time now = seam::now();
    if (now >= deadline) {
      throw Error(what + " did not end in time (a rank is missing or stuck); look at the other ranks' output");
    }
    seam::sleep_until(std::min(now + nap, deadline));
    nap = std::min(nap * 2, longest_nap);
  }
}

std::vector<std::string> gather_texts(MPI_Comm communicator, const std::string& mine, seam::Time deadline,
                                      const std::function<void()>& meanwhile) {
  int size = 0;
  check(MPI_Comm_size(communicator, &size));
  const int length = mpi_count(mine.size());
  std::vector<int> lengths(static_cast<std::size_t>(size));
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Iallgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, communicator, &request));
  await(request, deadline, "gathering the lengths of the ranks' texts", meanwhile);

  std::vector<int> starts(lengths.size());
  std::size_t total = 0;
  for (std::size_t rank = 0; rank < lengths.size(); ++rank) {
    starts[rank] = mpi_count(total);
    total += static_cast<std::size_t>(lengths[rank]);
  }
  std::string all(static_cast<std::size_t>(mpi_count(total)), '\0');
  check(MPI_Iallgatherv(mine.data(), length, MPI_CHAR, all.data(), lengths.data(), starts.data(), MPI_CHAR,
                        communicator, &request));
  await(request, deadline, "gathering the ranks' texts", meanwhile);

  std::vector<std::string> texts;
  texts.reserve(lengths.size());
  for (std::size_t rank = 0; rank < lengths.size(); ++rank) {
    texts.push_back(all.substr(static_cast<std::size_t>(starts[rank]), static_cast<std::size_t>(lengths[rank])));
  }
  return texts;
}

MPI_Comm duplicate(MPI_Comm communicator, const char* name, seam::Time deadline) {
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Comm_idup(communicator, &copy, &request));
  await(request, deadline, "making a communicator");
  check(MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN));
  check(MPI_Comm_set_name(copy, name));
  return copy;
}

}  // namespace slipway::detail
