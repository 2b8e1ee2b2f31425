// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>

#include "task_history/history.hpp"

namespace slipway::task_history {

// In the JSON format of trace events, which Perfetto opens: a track a thread, a slice a task, an arrow from where it
// was submitted to where it ran. Throws Error when it cannot be written.
void write_trace(const History& history, std::FILE* to);

}  // namespace slipway::task_history
