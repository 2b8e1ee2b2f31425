// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include "../../local/src/noise_filter.hpp"
#include "slipway/base/error.hpp"
#include "slipway/base/text.hpp"
#include "slipway/local/mpirun_launcher.hpp"

namespace slipway {
namespace {

using Words = std::vector<std::string>;

TEST(MpirunCommand, RecognisesFlavours) {
  const auto open_mpi = recognise_mpirun("mpirun", "mpirun (Open MPI) 4.1.4\n\nReport bugs to …\n");
  EXPECT_EQ(open_mpi.flavour, MpirunFlavour::open_mpi);
  EXPECT_EQ(open_mpi.version, "4.1.4");
  EXPECT_EQ(open_mpi.major, 4);
  EXPECT_EQ(recognise_mpirun("mpirun", "mpirun (Open MPI) 5.0.7").major, 5);
  const auto mpich = recognise_mpirun("mpiexec", "HYDRA build details:\n    Version:                 4.0.2\n");
  EXPECT_EQ(mpich.flavour, MpirunFlavour::hydra);
  EXPECT_EQ(mpich.major, 4);
  const auto intel = recognise_mpirun("mpirun", "Intel(R) MPI Library for Linux* OS, Version 2021.5 Build 2021");
  EXPECT_EQ(intel.flavour, MpirunFlavour::hydra);
  EXPECT_EQ(intel.version, "2021.5");
  EXPECT_EQ(recognise_mpirun("mpirun", "something else 3").flavour, MpirunFlavour::unknown);
}

MpirunRequest request() {
  return {.command = {"./program", "--steps", "7"}, .ranks = 3, .mpirun_args = "--mca btl self"};
}

TEST(MpirunCommand, OpenMpi4KeepsTheOthersAlive) {
  const Mpirun mpirun{.path = "mpirun", .flavour = MpirunFlavour::open_mpi, .version = "4.1.4", .major = 4};
  EXPECT_EQ(mpirun_command(mpirun, request()),
            (Words{"mpirun", "--bind-to", "none", "--host", "localhost:3", "--enable-recovery", "-n", "3", "--mca",
                   "btl", "self", "./program", "--steps", "7"}));
}

TEST(MpirunCommand, OpenMpi5UsesItsFaultTolerance) {
  const Mpirun mpirun{.path = "mpirun", .flavour = MpirunFlavour::open_mpi, .version = "5.0.7", .major = 5};
  const auto line = shell_line(mpirun_command(mpirun, request()));
  EXPECT_EQ(line, "mpirun --bind-to none --host localhost:3 --with-ft ulfm -n 3 --mca btl self ./program --steps 7");
}

TEST(MpirunCommand, OthersGetNothingButTheNumber) {
  const Mpirun mpirun{.path = "mpiexec", .flavour = MpirunFlavour::hydra};
  EXPECT_EQ(shell_line(mpirun_command(mpirun, request())), "mpiexec -n 3 --mca btl self ./program --steps 7");
}

TEST(MpirunCommand, NamedOneMustExist) { EXPECT_THROW(find_mpirun("/no/such/mpirun"), UsageError); }

TEST(MpirunCommand, RootIsToldWhatToDo) {
  const Mpirun mpirun{.path = "mpirun", .flavour = MpirunFlavour::open_mpi, .version = "4.1.4", .major = 4};
  ::unsetenv("OMPI_ALLOW_RUN_AS_ROOT");
  ::setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
  const auto refusal = mpirun_refusal(mpirun, request());
  ::setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
  EXPECT_EQ(refusal.empty(), ::geteuid() != 0);
  if (::geteuid() == 0) {
    EXPECT_NE(refusal.find("--slipway-launcher=local"), std::string::npos);
    EXPECT_NE(refusal.find("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"), std::string::npos);
  }
  EXPECT_EQ(mpirun_refusal(mpirun, request()), "");
  EXPECT_EQ(mpirun_refusal({.path = "mpiexec", .flavour = MpirunFlavour::hydra}, request()), "");
  auto allowed = request();
  allowed.mpirun_args = "--allow-run-as-root";
  EXPECT_EQ(mpirun_refusal(mpirun, allowed), "");
}

class NoiseFilter : public ::testing::Test {
 protected:
  // What is shown when the bytes come one at a time, and when they come at once, must be the same.
  std::string shown(const std::string& text) {
    detail::NoiseFilter at_once;
    std::string whole = at_once.take(text);
    whole += at_once.finish();
    detail::NoiseFilter piecemeal;
    std::string pieces;
    for (const char byte : text) pieces += piecemeal.take({&byte, 1});
    pieces += piecemeal.finish();
    EXPECT_EQ(whole, pieces);
    held_back_ = at_once.held_back();
    return whole;
  }

  const std::string rule_ = std::string(74, '-') + "\n";
  std::string held_back_;
};

TEST_F(NoiseFilter, OrdinaryOutputPasses) {
  EXPECT_EQ(shown("one\n[2] two\n\nmpirun is fine\nno end"), "one\n[2] two\n\nmpirun is fine\nno end");
}

TEST_F(NoiseFilter, UnfinishedLinesPassAtOnce) {
  detail::NoiseFilter filter;
  EXPECT_EQ(filter.take("\r\x1b[Kprogress 3"), "\r\x1b[Kprogress 3");
  EXPECT_EQ(filter.take(" of 4\n"), " of 4\n");
}

TEST_F(NoiseFilter, LinesOfMpirunAreDropped) {
  EXPECT_EQ(shown("a\n[vm:123] PMIX ERROR: BAD-PARAM in file ../src/event/pmix_event_notification.c at line 1033\n"
                  "mpirun: Forwarding signal 12 to job\nb\n"),
            "a\nb\n");
}

TEST_F(NoiseFilter, ParagraphsAboutTheEndAreHeldBack) {
  const std::string paragraph =
      rule_ + "mpirun noticed that process rank 1 with PID 0 on node vm exited on signal 9 (Killed).\n" + rule_;
  EXPECT_EQ(shown("a\n" + paragraph + "b\n"), "a\nb\n");
  EXPECT_EQ(held_back_, paragraph);
}

TEST_F(NoiseFilter, OtherParagraphsPass) {
  const std::string paragraph = rule_ + "There are not enough slots available in the system\n" + rule_;
  EXPECT_EQ(shown(paragraph + "b\n"), paragraph + "b\n");
  EXPECT_EQ(shown(rule_), rule_);
  EXPECT_EQ(shown(rule_ + "MPI_ABORT was invoked on rank 0\nand then nothing"),
            rule_ + "MPI_ABORT was invoked on rank 0\nand then nothing");
}

}  // namespace
}  // namespace slipway
