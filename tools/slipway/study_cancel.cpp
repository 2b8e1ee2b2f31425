// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "study_cancel.hpp"

#include <fmt/format.h>

#include <thread>

#include "scancel.hpp"
#include "slipway/base/error.hpp"
#include "study_state.hpp"

namespace slipway::tool {

int cancel_study(const std::filesystem::path& directory, std::chrono::seconds patience) {
  StudyView view = look_at_study(directory);
  if (view.study.runner == study::Runner::local) {
    throw UsageError(
        "the study runs on this machine (slipway sweep runs its points, one after the other). Press Ctrl-C there, or "
        "send it SIGINT");
  }
  const std::size_t all = view.waiting.size() + view.running.size();
  if (all == 0) {
    fmt::print("no job of the study waits or runs\n");
    return 0;
  }
  // Those that wait first, so that none begins where another stops. A script that runs hands the signal on to its
  // program, and begins nothing more.
  if (!view.waiting.empty()) cancel_jobs(view.waiting);
  if (!view.running.empty()) cancel_jobs(view.running, {"--batch", "--signal=TERM"});
  const auto end = std::chrono::steady_clock::now() + patience;
  do {
    std::this_thread::sleep_for(std::chrono::seconds(1));
    view = look_at_study(directory);
  } while (!view.running.empty() && std::chrono::steady_clock::now() < end);
  if (!view.running.empty()) cancel_jobs(view.running);
  fmt::print("{} jobs cancelled, {} of them by force; go on by: slipway sweep --resume {}\n", all, view.running.size(),
             directory.string());
  return 0;
}

}  // namespace slipway::tool
