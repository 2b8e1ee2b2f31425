// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "slipway/base/seam.hpp"
#include "slipway/observe/wait_log.hpp"
#include "slipway/rpc/activity.hpp"
#include "slipway/rpc/combine.hpp"

namespace slipway::detail {

// What the waits of one rank gave out, on its way to the rank's file; and, in a run that repeats another one, what they
// are to give out. Contract 13. Any thread.
class WaitJournal {
 public:
  // From now on, until the file has grown by so many bytes. It is made for the first record.
  void log_into(const std::filesystem::path& file, std::uint64_t most_bytes);
  // Before anything waits. Of two records of one wait the later holds.
  void repeat(std::span<const WaitRecord> records);

  // The next that the activity's wait gives out. Nothing: none is left, or none came in time.
  std::optional<std::size_t> next(CompletionQueue& queue, Activity& activity, seam::Time deadline);
  // Of waits that the run before did not have, or had with other refs.
  std::uint64_t strayed() const { return strayed_.load(std::memory_order_relaxed); }

  // Into the file, now and then, one thread at a time. Throws Error, and nothing is kept any more. False: the file is
  // full, said once.
  [[nodiscard]] bool drain();

 private:
  std::optional<std::uint32_t> place_before(const CompletionQueue& queue, const Activity& activity,
                                            std::uint32_t number);

  std::filesystem::path path_;
  std::uint64_t most_bytes_ = 0;
  std::atomic<bool> is_on_{false};
  std::optional<WaitLogFile> file_;
  std::unordered_map<std::uint64_t, std::uint32_t> before_;  // by activity and number
  std::atomic<std::uint64_t> strayed_{0};
  seam::SpinLock lock_;  // guards records_
  std::vector<WaitRecord> records_;
};

}  // namespace slipway::detail
