// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

// What a program leaves when it crashes, and where.
namespace slipway {

// How the system names core files: /proc/sys/kernel/core_pattern, and .%p behind it where the system adds the process.
// Throws UsageError when it has no name for them, and writes none.
std::string core_pattern();

// In a sentence: the files, for a program that runs in `directory`, or the handler that takes them, and the command
// that shows them.
std::string where_cores_go(std::string_view pattern, std::string_view directory);

// Raises the soft limit for core files to the hard one, for this process and those that it starts. Throws UsageError
// when the hard one is 0.
void allow_core_files();

}  // namespace slipway
