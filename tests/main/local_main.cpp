// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdio>

#include "main/local_ranks.hpp"
#include "main/transport_under_test.hpp"

namespace slipway::test {

void run_on_all_ranks(const TransportWishes& wishes, const std::function<void(Transport&)>& body) {
  const LocalWorldOptions options{
      .fake_hosts = wishes.fake_hosts, .credits = wishes.credits, .chunk_bytes = wishes.chunk_bytes};
  run_on_local_ranks(options, [&](LocalWorld&, Transport& transport) { body(transport); });
}

}  // namespace slipway::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const int status = RUN_ALL_TESTS();
  if (testing::UnitTest::GetInstance()->test_to_run_count() > 0) return status;
  std::fprintf(stderr, "no test was run (nothing matches the filter); a run that tests nothing counts as failed\n");
  return 1;
}
