# SPDX-FileCopyrightText: 2026 The slipway authors
# SPDX-License-Identifier: Apache-2.0
"""check_traces.py TOOL PROGRAM LAUNCHER: what tasks_program leaves behind tells what its tasks did, in `slipway tasks` and `trace`."""

import json
import pathlib
import subprocess
import sys
import tempfile

RANKS = 3
FAILING = 20
FIBONACCI = 1973  # calls of fibonacci(15)
SHARED = 60


def require(holds: bool, what: str) -> None:
    if not holds:
        raise SystemExit(f"check_traces: {what}")


def output_of(*command: object, status: int = 0) -> str:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=120)
    require(done.returncode == status, f"{command}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def check_summary(tool: str, run: pathlib.Path) -> None:
    summary = json.loads(output_of(tool, "tasks", "--json", run))
    by_name = {entry["name"].split("::")[-1]: entry for entry in summary["functions"]}
    require(by_name["refuse"]["failed"] == FAILING, f"failures: {by_name['refuse']}")
    require(by_name["fibonacci"]["over"] == FIBONACCI, f"nested tasks: {by_name['fibonacci']}")
    require(by_name["sum_slowly"]["tasks"] == SHARED, f"shared tasks: {by_name['sum_slowly']}")
    require(summary["pending"] == [] and summary["all"]["tasks"] == summary["all"]["over"], "all tasks are over")
    require(summary["all"]["ran_elsewhere"] > 0, "tasks ran on other ranks")
    require(by_name["where"]["ran_elsewhere"] == RANKS - 1, f"tasks on a rank: {by_name['where']}")
    require(by_name["sum_slowly"]["seconds_running"] > SHARED * 0.001, "their time")
    require(len(summary["ranks"]) == RANKS and not summary["lost_events"], "ranks")
    text = output_of(tool, "tasks", run)
    require("fibonacci" in text and "ran on another rank" in text, text)
    report = output_of(tool, "report", "--no-figure", run)
    require("fibonacci" in report, report)
    require("What tasks did" in (run / "report" / "report.html").read_text(), "the page has a table of tasks")
    lines = output_of(tool, "tasks", "--list", run).splitlines()
    require(len(lines) == summary["all"]["tasks"], "a line a task")


def check_trace(tool: str, run: pathlib.Path, total: int) -> None:
    told = output_of(tool, "trace", run)
    require(f"{total} tasks" in told, told)
    events = json.loads((run / "trace.json").read_text())["traceEvents"]
    begins = {event["id"]: event for event in events if event["ph"] == "s"}
    ends = {event["id"]: event for event in events if event["ph"] == "f"}
    require(begins.keys() == ends.keys() and len(begins) > FIBONACCI, "an arrow has two ends")
    require(all(begins[task]["ts"] <= ends[task]["ts"] for task in begins), "no task runs before it is submitted")
    threads: dict[tuple[int, int], list[tuple[float, float]]] = {}
    for event in events:
        if event["ph"] == "X" and event["cat"] == "task":
            threads.setdefault((event["pid"], event["tid"]), []).append((event["ts"], event["ts"] + event["dur"]))
    require({rank for rank, _ in threads} == set(range(RANKS)), "each rank ran some")
    for spans in threads.values():
        open_until: list[float] = []
        for begin, end in sorted(spans, key=lambda span: (span[0], -span[1])):
            while open_until and open_until[-1] <= begin:
                open_until.pop()
            require(not open_until or end <= open_until[-1] + 0.002, "slices of a thread lie inside each other")
            open_until.append(end)


def main() -> None:
    tool, program, launcher = sys.argv[1:4]
    start = [program, f"--slipway-launcher={launcher}", "--slipway-task-events=1000000"]
    with tempfile.TemporaryDirectory(prefix="slipway-traces-") as folder:
        run = pathlib.Path(folder) / "run"
        output_of(*start, f"--slipway-ranks={RANKS}", f"--slipway-run-directory={run}")
        check_summary(tool, run)
        total = len(output_of(tool, "tasks", "--list", run).splitlines())
        check_trace(tool, run, total)
        require("Name another file" in output_of(tool, "trace", run, "-o", "/no/such/place", status=2), "a bad place")
        silent = pathlib.Path(folder) / "silent"
        output_of(*start, "--slipway-ranks=1", f"--slipway-run-directory={silent}", "--slipway-task-events=0")
        require("--slipway-task-events=0" in output_of(tool, "tasks", silent, status=2), "no traces")


main()
