// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <mpi.h>

#include <cstdio>
#include <string>

#include "slipway/base/error.hpp"
#include "slipway/mpi/mpi_transport.hpp"

// environment_program own|user|single|twice: starts MPI in one of these ways, prints what came of it.
namespace {

using namespace slipway;

void run(const std::string& way, int* argc, char*** argv) {
  int provided = 0;
  if (way == "user") MPI_Init_thread(argc, argv, MPI_THREAD_SERIALIZED, &provided);
  if (way == "single") MPI_Init_thread(argc, argv, MPI_THREAD_SINGLE, &provided);
  {
    MpiEnvironment environment(argc, argv);
    const auto transport = make_mpi_transport();
    transport->close();
    std::printf("%s: rank %u of %u, %s\n", way.c_str(), environment.rank(), environment.size(),
                environment.initialised_here() ? "initialised here" : "initialised before");
  }
  int finalized = 0;
  MPI_Finalized(&finalized);
  std::printf("%s\n", finalized ? "finalized" : "left running");
  if (way == "twice") MpiEnvironment again(argc, argv);
}

}  // namespace

int main(int argc, char** argv) {
  int status = 0;
  try {
    run(argc > 1 ? argv[1] : "own", &argc, &argv);
  } catch (const Error& error) {
    std::printf("error: %s\n", error.what());
    status = 3;
  }
  int running = 0;
  int finalized = 0;
  MPI_Initialized(&running);
  MPI_Finalized(&finalized);
  if (running && !finalized) MPI_Finalize();
  return status;
}
