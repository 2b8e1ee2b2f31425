// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "slipway/runtime/launched_by.hpp"

// What a rank has of things that nodes ask for, beside cores and GPUs.
namespace slipway {

// "camera=1,licence=2.5": of resources that nodes ask for by name. Throws UsageError.
std::map<std::string, double> parse_named_resources(std::string_view text);

// Bytes that this process and its like may use on this host: the smallest of what the host has, what its control groups
// allow and what Slurm gives the job. 0: unknown. `root`: where /proc and /sys are.
std::uint64_t usable_memory(const GetEnvironment& get, const std::filesystem::path& root = "/");

}  // namespace slipway
