// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Dynamic tasks: all that a program needs.
#include "slipway/tasks/gang.hpp"
#include "slipway/tasks/parallel.hpp"
#include "slipway/tasks/ref.hpp"
#include "slipway/tasks/stream.hpp"
#include "slipway/tasks/submit.hpp"
#include "slipway/tasks/task_error.hpp"
#include "slipway/tasks/task_options.hpp"
#include "slipway/tasks/wait.hpp"
