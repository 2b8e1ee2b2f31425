# SPDX-FileCopyrightText: 2026 The slipway authors
# SPDX-License-Identifier: Apache-2.0
"""Scaling studies beside a cluster: a part of check_slurm.py."""

from __future__ import annotations

import json
import pathlib
import re
import shutil
import subprocess

from checks import require
from cluster import wait_for_job, wait_until
from slurm_tool import Tool


def outcomes(study: pathlib.Path) -> list[str]:
    return [run["outcome"] for run in json.loads((study / "report" / "report.json").read_text(encoding="utf-8"))["runs"]]


def study_of(done: subprocess.CompletedProcess) -> pathlib.Path:
    found = re.search(r"^/.*/studies/.*$", done.stdout, re.MULTILINE)
    require(found is not None, f"no study directory is named: {done.stdout}{done.stderr}")
    return pathlib.Path(found[0])


def points(tool: Tool, study: pathlib.Path) -> str:
    """How many points stand how, as `slipway status` sums up."""
    return re.search(r"^points +(.*)$", tool.run("status", study, status=None).stdout, re.MULTILINE)[1]


STUDY = ("--ranks-per-node", 1, "--cores-per-rank", 1, "--time", "2m")


def check_studies(tool: Tool) -> None:
    """A study by jobs and by steps of one job, on 1, 2 and 4 nodes: runs, is interrupted, goes on, is reported."""
    program = tool.programs / "counting_program"
    study = study_of(tool.run("sweep", "--nodes", "1,2,4", "--repeat", 2, "--wait", *STUDY, program, "--steps", "{nodes*5}",
                              "--pause", 20, "--company", "{ranks}"))
    text = tool.run("report", study, "--metric", "counts").stdout
    require("strong scaling of counting_program, base 1 node" in text, text)
    data = json.loads((study / "report" / "report.json").read_text(encoding="utf-8"))
    require(outcomes(study) == ["good"] * 6, f"by jobs: {data['runs']}")
    require([row["size"] for row in data["rows"]] == [1, 2, 4] and [row["ranks"] for row in data["rows"]] == [1, 2, 4],
            f"rows: {data['rows']}")
    require([len(run["hosts"]) for run in data["runs"]] == [1, 1, 2, 2, 4, 4], f"hosts: {data['runs']}")
    require(all(10 < value <= 50 for row in data["rows"] for value in row["values"]), f"counts/s: {data['rows']}")
    page = (study / "report" / "report.html").read_text(encoding="utf-8")
    require("<svg" in page and "http-equiv" not in page and "src=" not in page, "the page has no figure of its own")
    look_at_page(study / "report" / "report.html")

    study = study_of(tool.run("sweep", "--nodes", "1,2,4", "--repeat", 2, "--as", "steps", *STUDY, program, "--steps", 20))
    job = json.loads((study / "job.json").read_text(encoding="utf-8"))["jobs"][0]
    wait_until(lambda: points(tool, study).startswith("1 going on, 1 good"), "one point is good, and the next one runs", 60)
    require("no point is left" in tool.run("sweep", "--retry-failed", "--resume", study).stdout, "a second job of its points")
    require("1 jobs cancelled, 0 of them by force" in tool.run("cancel", study).stdout, "the program did not stop in order")
    wait_for_job(job)
    require("stopped" in points(tool, study) and "missing" in points(tool, study), f"cancelled: {points(tool, study)}")
    require("no job of the study" in tool.run("cancel", study).stdout, "cancelled twice")
    tool.run("sweep", "--wait", "--resume", study)
    tool.run("report", study, "--no-figure")
    data = json.loads((study / "report" / "report.json").read_text(encoding="utf-8"))
    require(outcomes(study) == ["good"] * 6, f"by steps: {tool.run('status', study, status=None).stdout}")
    require([(run["ranks"], len(run["hosts"])) for run in data["runs"]] == [(1, 1), (1, 1), (2, 2), (2, 2), (4, 4), (4, 4)],
            f"by steps, ranks and hosts: {data['runs']}")

    study = study_of(tool.run("sweep", "--nodes", "4", "--repeat", 3, "--one-at-a-time", *STUDY, program, "--steps", 100))
    wait_until(lambda: "going on" in points(tool, study), "one of the points runs", 60)
    require(points(tool, study) == "1 going on, 2 waiting", f"one at a time: {points(tool, study)}")
    tool.run("cancel", study)
    require(points(tool, study) == "2 missing, 1 stopped", f"cancelled jobs: {points(tool, study)}")
    require(len(tool.run("sweep", "--dry-run", "--resume", study).stdout.splitlines()) == 3, "what is left to run")
    tool.run("sweep", "--wait", "--resume", study)
    require(points(tool, study) == "3 good", f"resumed: {points(tool, study)}")

    failing = study_of(tool.run("sweep", "--nodes", "1,2", "--repeat", 1, "--wait", "--as", "steps", *STUDY, program,
                                "--steps", 2, "--fail-at", "{nodes*2}", status=1))
    status = tool.run("status", failing, status=1).stdout
    require("failed at 2, as asked" in status and points(tool, failing) == "1 failed, 1 good", status)
    require("--retry-failed runs them again" in tool.run("sweep", "--resume", failing, status=1).stdout, "what failed is told")
    require(len(list((failing / "points").iterdir())) == 2, "a failed point was run again unasked")
    tool.run("sweep", "--retry-failed", "--wait", "--resume", failing, status=1)
    require((failing / "points" / "nodes-1-run-1.try-1" / "status.json").exists(), "what failed was not kept")
    require(points(tool, failing) == "1 failed, 1 good", "after another try")


def look_at_page(page: pathlib.Path) -> None:
    """A browser shows it: the figure, the table, and nothing from elsewhere."""
    browser = next((path for name in ("chromium", "chromium-browser", "google-chrome")
                    if (path := shutil.which(name))), None)
    if browser is None:
        print("no browser here: the page was not opened", flush=True)
        return
    picture = page.with_name("page.png")
    words = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1200,1600",
             f"--user-data-dir={page.parent}/browser", "--virtual-time-budget=2000"]
    shown = subprocess.run([*words, "--dump-dom", page.as_uri()], text=True, capture_output=True, timeout=120, check=False)
    require(shown.returncode == 0 and "<svg" in shown.stdout and "Karp" in shown.stdout, f"the browser: {shown.stderr}")
    subprocess.run([*words, f"--screenshot={picture}", page.as_uri()], capture_output=True, timeout=120, check=True)
    require(picture.stat().st_size > 20_000, "the page is shown empty")
