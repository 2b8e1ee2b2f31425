// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "environment.hpp"

#include <signal.h>

#include <atomic>
#include <cstdlib>
#include <exception>
#include <string>

#include "checked_mpi.hpp"
#include "slipway/mpi/mpi_transport.hpp"

namespace slipway {

namespace {

std::atomic<bool> mpi_healthy{true};

// What slipway wants from Open MPI; a value that the user has set stays. Other libraries ignore these.
void prefer_settings() {
  setenv("OMPI_MCA_mpi_yield_when_idle", "0", 0);    // our own loops yield and sleep, at better moments
  setenv("OMPI_MCA_mpi_event_tick_rate", "100", 0);  // microseconds; else sockets starve after a lost connection
  // Bytes of the mailbox of a pair of ranks on one host; messages up to a quarter of it, our batches too, take the
  // quickest way through shared memory. The default of 4 KiB sends them the longer one.
  setenv("OMPI_MCA_btl_vader_fbox_size", "16384", 0);
  setenv("OMPI_MCA_btl_sm_fbox_size", "16384", 0);  // its name since Open MPI 5
}

// MPICH takes SIGUSR1 for news of lost processes, which slipway finds by itself. It means a notice here.
class KeptSignal {
 public:
  KeptSignal() { sigaction(SIGUSR1, nullptr, &before_); }
  ~KeptSignal() { sigaction(SIGUSR1, &before_, nullptr); }
  KeptSignal(const KeptSignal&) = delete;
  KeptSignal& operator=(const KeptSignal&) = delete;

 private:
  struct sigaction before_ {};
};

int initialise(int* argc, char*** argv) {
  prefer_settings();
  const KeptSignal kept;
  int provided = MPI_THREAD_SINGLE;
  detail::check(MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided));
  return provided;
}

long environment_number(const char* name) {
  const char* text = std::getenv(name);
  return text ? std::strtol(text, nullptr, 10) : 0;
}

// A launcher that speaks another dialect than the MPI library starts N programs of one rank each. The nearest launcher
// counts: a Slurm step may have started an mpirun of one rank.
void refuse_singletons() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}) {
    const long started = environment_number(name);
    if (started == 1) return;
    if (started > 1) {
      throw Error("MPI sees 1 rank but " + std::string(name) + " says that " + std::to_string(started) +
                  " were started (the launcher and the MPI library do not match, so each process is alone); "
                  "use this MPI's own mpirun, or srun with another --mpi= (see srun --mpi=list)");
    }
  }
}

void refuse_low_level(int provided) {
  if (provided >= MPI_THREAD_SERIALIZED) return;
  throw Error("MPI gives only " + std::string(detail::thread_level_name(provided)) +
              " (slipway calls MPI from several threads, one at a time); initialise it by MPI_Init_thread with "
              "MPI_THREAD_SERIALIZED or higher, or let slipway do it");
}

}  // namespace

namespace detail {

void declare_mpi_unhealthy() noexcept { mpi_healthy.store(false, std::memory_order_relaxed); }

const char* thread_level_name(int level) {
  switch (level) {
    case MPI_THREAD_SINGLE:
      return "MPI_THREAD_SINGLE";
    case MPI_THREAD_FUNNELED:
      return "MPI_THREAD_FUNNELED";
    case MPI_THREAD_SERIALIZED:
      return "MPI_THREAD_SERIALIZED";
    default:
      return "MPI_THREAD_MULTIPLE";
  }
}

}  // namespace detail

MpiEnvironment::MpiEnvironment(int* argc, char*** argv)
    : exceptions_at_start_(std::uncaught_exceptions()), thread_(std::this_thread::get_id()) {
  int finalized = 0;
  detail::check(MPI_Finalized(&finalized));
  if (finalized) throw UsageError("MPI is finalized already (it cannot start twice); launch once per process");
  int running = 0;
  detail::check(MPI_Initialized(&running));
  int provided = MPI_THREAD_SINGLE;
  if (running) {
    detail::check(MPI_Query_thread(&provided));
  } else {
    provided = initialise(argc, argv);
    initialised_here_ = true;
  }
  int rank = 0;
  int size = 0;
  detail::check(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  detail::check(MPI_Comm_size(MPI_COMM_WORLD, &size));
  rank_ = static_cast<std::uint32_t>(rank);
  size_ = static_cast<std::uint32_t>(size);
  try {
    refuse_low_level(provided);
    if (size == 1) refuse_singletons();
  } catch (...) {
    if (initialised_here_) MPI_Finalize();
    throw;
  }
}

bool MpiEnvironment::healthy() { return mpi_healthy.load(std::memory_order_relaxed); }

MpiEnvironment::~MpiEnvironment() {
  if (!initialised_here_ || !healthy()) return;
  if (std::this_thread::get_id() != thread_ || std::uncaught_exceptions() > exceptions_at_start_) return;
  int finalized = 0;
  if (MPI_Finalized(&finalized) == MPI_SUCCESS && !finalized) MPI_Finalize();
}

}  // namespace slipway
