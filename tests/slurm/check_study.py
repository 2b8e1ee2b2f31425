# SPDX-FileCopyrightText: 2026 The slipway authors
# SPDX-License-Identifier: Apache-2.0
"""check_study.py SLIPWAY PROGRAM: scaling studies on this machine, and reports of runs. No Slurm."""

from __future__ import annotations

import csv
import fcntl
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

from checks import require, run_checks

PATIENCE = 60  # seconds


class Tool:
    def __init__(self, path: str, program: str, folder: pathlib.Path):
        self.path, self.program, self.folder = path, program, folder
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("SLIPWAY_JOB_")}
        self.environment["HOME"] = str(folder)

    def run(self, *words, status: int = 0, **variables) -> str:
        done = subprocess.run([self.path, *map(str, words)], cwd=self.folder, env={**self.environment, **variables},
                              text=True, capture_output=True, timeout=4 * PATIENCE, check=False)
        output = done.stdout + done.stderr
        require(done.returncode == status, f"{words} ended with {done.returncode}, not {status}:\n{output}")
        return output

    def sweep(self, *words, status: int = 0) -> pathlib.Path:
        output = self.run("sweep", *words, status=status)
        found = re.search(r"^/.*/studies/\S+$", output, re.MULTILINE)
        require(found is not None, f"no study directory is named:\n{output}")
        return pathlib.Path(found[0])


def points(status: str) -> str:
    """How many points stand how, as `slipway status` sums up."""
    return re.search(r"^points +(.*)$", status, re.MULTILINE)[1]


def check_local(tool: Tool) -> None:
    """A study on this machine, its tables, its figure and its page."""
    study = tool.sweep("--ranks", "1,2", "--repeat", 3, "--seed", 5, "--weak", tool.program, "--steps", "{ranks*10}", "--pause",
                       10)
    require(study == (tool.folder / "studies" / "latest").resolve(), "latest is another study")
    require(points(tool.run("status", study)) == "6 good", "status of the study")
    text = tool.run("report", "studies/latest", "--metric", "counts")
    require("weak scaling of counting_program, base 1 rank" in text, text)
    report = study / "report"
    with open(report / "summary.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    require([(row["size"], row["unit"], row["runs"], row["metric"]) for row in rows] ==
            [("1", "ranks", "3", "counts/s"), ("2", "ranks", "3", "counts/s")],
            f"summary.csv: {rows}")
    with open(report / "runs.csv", encoding="utf-8", newline="") as file:
        runs = list(csv.DictReader(file))
    require(len(runs) == 6 and all(0 < float(run["counts_per_s"]) <= 100 for run in runs), f"runs.csv: {runs}")
    data = json.loads((report / "report.json").read_text(encoding="utf-8"))
    for row, size in zip(data["rows"], (1, 2)):
        values = sorted(float(run["counts_per_s"]) for run in runs if run["size"] == str(size))
        require(abs(row["median"] - values[1]) < 1e-6 * values[1], f"the median of {values} is not {row['median']}")
    require("counts/s" in (report / "method.txt").read_text(encoding="utf-8"), "no method")
    page = (report / "report.html").read_text(encoding="utf-8")
    require("Karp" in page and "<script" not in page, "the page")
    if "no figure" not in text:
        require("<svg" in page and (report / "scaling.png").stat().st_size > 10_000, "the figure")
    by_time = tool.run("report", study, "--metric", "time", "--no-figure")
    require("efficiency" in by_time and "counts/s" not in by_time, by_time)
    require("no run reports apples" in tool.run("report", study, "--metric", "apples", status=2), "a metric that is none")
    require("within the warm-up" in tool.run("report", study, "--metric", "counts", "--warm-up", 1000, status=1), "a long one")
    require("leaves work out" in tool.run("report", study, "--metric", "time", "--warm-up", 1, status=2), "no warm-up for times")
    require(not (report / "scaling.svg").exists(), "a figure of another metric is left")
    require(json.loads(tool.run("status", study, "--json"))["counts"] == {"good": 6}, "status as JSON")


def check_without_matplotlib(tool: Tool) -> None:
    """The tables are complete without a figure, and the reason is told."""
    study = tool.sweep("--ranks", "1", "--repeat", 1, tool.program, "--steps", 2, "--pause", 1)
    bare = tool.folder / "bare"
    bare.mkdir()
    output = tool.run("report", study, PATH=str(bare), SLIPWAY_PYTHON="/bin/false", PYTHONHOME=str(bare))
    require("python3-matplotlib" in output, f"it does not say what is missing:\n{output}")
    require((study / "report" / "summary.csv").exists(), "no table")


def check_run(tool: Tool) -> None:
    """One run: what its nodes did, and how its work grew."""
    run = tool.folder / "runs" / "one"
    subprocess.run([tool.program, "--steps", "30", "--pause", "100", "--slipway-ranks=2", f"--slipway-run-directory={run}"],
                   check=True, timeout=PATIENCE, capture_output=True)
    text = tool.run("report", "one")
    require("counts in " in text and "company/0" in text and "running 3" in text, text)
    data = json.loads((run / "report" / "report.json").read_text(encoding="utf-8"))
    curve = data["samples"]["counts"]
    require(curve[0] == [0, 0] and curve[-1][1] == 30 and len(curve) >= 3 and curve == sorted(curve), f"the curve: {curve}")
    with open(run / "report" / "nodes.csv", encoding="utf-8", newline="") as file:
        require({row["node"] for row in csv.DictReader(file)} >= {"counter", "company/0"}, "nodes.csv")
    require("is a run" in tool.run("report", run, "--metric", "time", status=2), "a metric for a run")
    (run / "report.json").unlink()
    require("has no report" in tool.run("report", run, status=2), "a run without its report")


def check_warm_up(tool: Tool) -> None:
    """The rate behind a warm-up is that of a program that works evenly."""
    study = tool.sweep("--ranks", "2", "--repeat", 1, tool.program, "--steps", 80, "--pause", 100)
    rates = []
    for warm_up in (0, 1, 3, 5):
        tool.run("report", study, "--metric", "counts", "--warm-up", warm_up, "--no-figure")
        data = json.loads((study / "report" / "report.json").read_text(encoding="utf-8"))
        rates.append(data["rows"][0]["median"])
    require(all(abs(rate - rates[0]) < 0.1 * rates[0] for rate in rates), f"rates at 0, 1, 3 and 5 s: {rates}")


def check_locked(tool: Tool) -> None:
    """Two sweeps never run points of one study at once."""
    study = tool.sweep("--ranks", "1", "--repeat", 1, tool.program, "--steps", 2, "--pause", 1, "--fail-at", 1, status=1)
    with open(study / ".lock", "w", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        require("another slipway sweep" in tool.run("sweep", "--retry-failed", "--resume", study, status=2), "two at once")
    tool.run("sweep", "--retry-failed", "--resume", study, status=1)


def check_failures(tool: Tool) -> None:
    """A failing point is told, kept and tried again on demand; an interrupted study goes on."""
    study = tool.sweep("--ranks", "1,2", "--repeat", 1, tool.program, "--steps", 2, "--pause", 1, "--fail-at", "{ranks*2}",
                       status=1)
    status = tool.run("status", study, status=1)
    require(points(status) == "1 failed, 1 good" and "failed at 2, as asked" in status, status)
    require("--retry-failed runs them again" in tool.run("sweep", "--resume", study, status=1), "it is not run again unasked")
    tool.run("sweep", "--resume", study, "--retry-failed", status=1)
    require((study / "points" / "ranks-1-run-1.try-1" / "output.log").exists(), "what failed was not kept")
    text = tool.run("report", study, "--no-figure")
    require("1 rank, run 1: failed" in text and "base 2 ranks" in text, text)

    process = subprocess.Popen([tool.path, "sweep", "--ranks", "1", "--repeat", "3", tool.program, "--steps", "20", "--pause",
                                "100"], cwd=tool.folder, env=tool.environment, stdout=subprocess.PIPE, text=True)
    while not (line := process.stdout.readline()).startswith("[1/3]"):
        require(line != "", "the study did not begin")
    deadline = time.monotonic() + PATIENCE
    running = lambda: any('"running"' in file.read_text(encoding="utf-8")  # noqa: E731
                          for file in (tool.folder / "studies" / "latest" / "points").glob("*/status.json"))
    while not running() and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    rest, _ = process.communicate(timeout=PATIENCE)
    require(process.returncode == 75 and "--resume" in rest, f"Ctrl-C ended it with {process.returncode}: {rest}")
    require(points(tool.run("status", "studies/latest", status=1)) == "1 good, 1 missing, 1 stopped", "it was not interrupted")
    tool.run("sweep", "--resume", "latest")
    require(points(tool.run("status", "studies/latest")) == "3 good", "it did not go on to its end")


def check_mistakes(tool: Tool) -> None:
    """Nothing is written for any of them."""
    jobs = ("--ranks-per-node", 1, "--cores-per-rank", 1, "--time", "5m")
    for words, said in (
            ((tool.program,), "a study needs sizes"),
            (("--nodes", "1", "--ranks", "1", tool.program), "a study needs sizes"),
            (("--ranks", "1,two", tool.program), "has 'two'"),
            (("--ranks", "1,0", tool.program), "whole numbers from 1"),
            (("--ranks", "2,2", tool.program), "2 twice"),
            (("--ranks", "1", "--repeat", 0, tool.program), "--repeat 0"),
            (("--ranks", "1", "--as", "jobs", tool.program), "does not fit the sizes"),
            (("--nodes", "1", "--as", "local", tool.program), "does not fit the sizes"),
            (("--nodes", "1", "--as", "job", tool.program), "--as"),
            (("--ranks", "1"), "no program is given"),
            (("--ranks", "1", "./no-such-program"), "there is no program"),
            (("--nodes", "1,2", "--time", "0", tool.program), "0 would mean no limit"),
            (("--nodes", "1", *jobs[2:], tool.program, "{ranks}"), "--ranks-per-node"),
            (("--nodes", "1,2", *jobs, "--machine", "lumi", tool.program), "no account is given"),
            (("--resume", "nowhere"), "there is no study nowhere"),
            (("--resume", "nowhere", "--ranks", "1"), "cannot be changed"),
            (("--resume", "nowhere", "--time", "1h"), "--time cannot be changed"),
            (("--resume", "nowhere", tool.program), "with the program of the study"),
            (("--ranks", "1", "--retry-failed", tool.program), "is for --resume"),
            (("--ranks", "1", tool.program, "--no-such-flag", "1"), "no-such-flag"),
            (("--ranks", "1", "--name", "a/b", "--study-base", "/proc/none", tool.program), "/proc/none"),
            (("--nodes", "1", *jobs, "--part", "nodes=1", tool.program), "--part cannot stand"),
            (("--nodes", "1,2", "--as", "steps", *jobs, "--launcher", "ibrun", tool.program), "by ibrun")):
        output = tool.run("sweep", *words, status=2)
        require(said in output, f"{words} does not say '{said}':\n{output}")
    plan = tool.run("sweep", "--nodes", "1,2", "--repeat", 2, "--dry-run", *jobs, tool.program)
    require(plan.count("run ") == 4, f"--dry-run:\n{plan}")
    require(not (tool.folder / "studies").exists(), "a mistake left a study")


if __name__ == "__main__":
    sys.exit(run_checks(globals(), lambda check, folder: check(Tool(sys.argv[1], sys.argv[2], folder))))
