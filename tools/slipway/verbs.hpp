// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/App.hpp>
#include <functional>

// The verbs of the slipway command. Each adds itself to the command line; the one that the user takes sets `chosen`,
// which does the work and returns the exit status. Mistakes of the user are thrown as UsageError.
namespace slipway::tool {

using Chosen = std::function<int()>;

void add_script(CLI::App& app, Chosen& chosen);
void add_submit(CLI::App& app, Chosen& chosen);
void add_plan(CLI::App& app, Chosen& chosen);
void add_run(CLI::App& app, Chosen& chosen);
void add_status(CLI::App& app, Chosen& chosen);
void add_logs(CLI::App& app, Chosen& chosen);
void add_cancel(CLI::App& app, Chosen& chosen);
void add_machines(CLI::App& app, Chosen& chosen);
void add_save(CLI::App& app, Chosen& chosen);
void add_resume(CLI::App& app, Chosen& chosen);
void add_requeue(CLI::App& app, Chosen& chosen);
void add_sweep(CLI::App& app, Chosen& chosen);
void add_report(CLI::App& app, Chosen& chosen);
void add_completion(CLI::App& app, Chosen& chosen);
void add_doctor(CLI::App& app, Chosen& chosen);

}  // namespace slipway::tool
