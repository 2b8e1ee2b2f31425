// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace slipway::tool {

struct RunReportChoice {
  bool json = false;
  bool figure = true;
};

// What each node of a run did, and how its work grew: a table on stdout, and files in the run directory's report/.
// Throws UsageError for a run that has left no report.
int report_run(const std::filesystem::path& run_directory, const RunReportChoice& choice);

}  // namespace slipway::tool
