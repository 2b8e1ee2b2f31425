// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace slipway::tool {

// Makes the run directory of a point ready for another try: empty but for the script of its job. What a try before has
// left is kept beside it, as NAME.try-1 and so on. Can be interrupted at any moment, and called again.
void clear_for_another_try(const std::filesystem::path& directory);

// After such an interruption: the script is there again.
void restore_script(const std::filesystem::path& directory);

}  // namespace slipway::tool
