// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

// Slurm's short form of host names: "rack[1-2]node[01-04],login".
namespace slipway::slurm {

// All names, in the order written, duplicates kept; of several brackets the last counts fastest, of the others the
// first does: as `scontrol show hostnames`. A suffix behind a bracket is understood, which Slurm 22.05 is not able to.
// Throws UsageError for unbalanced or nested brackets, bad ranges, and more than 1,000,000 names.
std::vector<std::string> expand_host_list(std::string_view list);

// The short form, in the given order: runs of names that differ in their last number only become ranges. What
// expand_host_list, and every Slurm, turns back into the same names.
std::string compress_host_list(std::span<const std::string> names);

}  // namespace slipway::slurm
