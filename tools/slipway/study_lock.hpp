// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "slipway/local/child_process.hpp"

namespace slipway::tool {

// Held by the one process that begins points of a study. Throws UsageError when another does. The system lets it go
// when the process ends, however it does.
class StudyLock {
 public:
  explicit StudyLock(const std::filesystem::path& study_directory);

 private:
  detail::OwnedDescriptor file_;
};

}  // namespace slipway::tool
