// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>
#include <sys/types.h>

namespace slipway::detail {

// A process that dies of a signal leaves its core and a status that is the signal's. Last words end with status 1, so
// a copy of the process dies in its place: it has all memory, and of the threads the one that calls. All functions here
// are async-signal-safe.

// Whether the soft limit for core files is above 0.
bool core_is_wanted();

// Starts the copy, which dies of the signal at once. `info`: what the signal came with, or null. -1: there is no copy,
// see errno.
pid_t start_core_copy(int signal, const siginfo_t* info);

// Waits until its core is written. False: none was.
bool wait_for_core(pid_t copy);

}  // namespace slipway::detail
