// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The verbs of the slipway command: each adds itself to the command line. Mistakes of the user are thrown as
// UsageError.
namespace slipway::tool {

class Arguments;

void add_script(Arguments& arguments);
void add_submit(Arguments& arguments);
void add_plan(Arguments& arguments);
void add_run(Arguments& arguments);
void add_status(Arguments& arguments);
void add_logs(Arguments& arguments);
void add_tasks(Arguments& arguments);
void add_trace(Arguments& arguments);
void add_cancel(Arguments& arguments);
void add_machines(Arguments& arguments);
void add_save(Arguments& arguments);
void add_resume(Arguments& arguments);
void add_requeue(Arguments& arguments);
void add_sweep(Arguments& arguments);
void add_report(Arguments& arguments);
void add_completion(Arguments& arguments);
void add_doctor(Arguments& arguments);

}  // namespace slipway::tool
