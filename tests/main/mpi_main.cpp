// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>

#include "main/transport_under_test.hpp"
#include "slipway/mpi/mpi_transport.hpp"

// Tests whose ranks are processes: all run all cases in step. Rank 0 reports; the others only speak of failures.
namespace slipway::test {

void run_on_all_ranks(const TransportWishes& wishes, const std::function<void(Transport&)>& body) {
  MpiOptions options;
  options.fake_hosts = wishes.fake_hosts > 1 ? wishes.fake_hosts : 0;
  options.chunk_bytes = wishes.chunk_bytes;
  options.unexpected_limit = static_cast<std::uint32_t>(wishes.credits);
  try {
    const auto transport = make_mpi_transport(options);
    body(*transport);
    transport->close();
  } catch (const std::exception& error) {
    ADD_FAILURE() << error.what();
  }
}

namespace {

class FailurePrinter : public testing::EmptyTestEventListener {
 public:
  explicit FailurePrinter(int rank) : rank_(rank) {}

 private:
  void OnTestStart(const testing::TestInfo& test) override {
    name_ = std::string(test.test_suite_name()) + "." + test.name();
  }
  // GoogleTest holds its lock here: it must not be asked anything.
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    std::fprintf(stderr, "rank %d, %s: %s:%d: %s\n", rank_, name_.c_str(),
                 result.file_name() ? result.file_name() : "?", result.line_number(), result.message());
  }

  int rank_;
  std::string name_;
};

void let_only_rank_0_report(int rank) {
  auto& listeners = testing::UnitTest::GetInstance()->listeners();
  if (rank == 0) return;
  delete listeners.Release(listeners.default_result_printer());
  listeners.Append(new FailurePrinter(rank));
}

int run_all(int rank) {
  let_only_rank_0_report(rank);
  int status = RUN_ALL_TESTS();
  if (testing::UnitTest::GetInstance()->test_to_run_count() == 0) {
    std::fprintf(stderr, "no test was run (nothing matches the filter); a run that tests nothing counts as failed\n");
    status = 1;
  }
  int worst = status;
  MPI_Allreduce(&status, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return worst;
}

}  // namespace
}  // namespace slipway::test

int main(int argc, char** argv) {
  int status = 0;
  {
    const slipway::MpiEnvironment environment(&argc, &argv);
    testing::InitGoogleTest(&argc, argv);
    status = slipway::test::run_all(static_cast<int>(environment.rank()));
  }
  if (slipway::MpiEnvironment::healthy()) return status;
  std::fflush(nullptr);
  _exit(std::max(status, 1));
}
