# SPDX-FileCopyrightText: 2026 The slipway authors
# SPDX-License-Identifier: Apache-2.0
"""check_notice.py PROGRAM LAUNCHER: SIGUSR1 gives notice; what was saved is where the next attempt goes on. No Slurm."""

import json
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

from checks import status_of

PATIENCE = 30  # seconds


def start(program: str, launcher: str, run: pathlib.Path, *more: str, **how) -> subprocess.Popen:
    return subprocess.Popen([program, "--steps", "60", "--pause", "50", f"--slipway-launcher={launcher}",
                             f"--slipway-run-directory={run}", *more], **how)


def check_other_version(program: str, launcher: str, run: pathlib.Path) -> str:
    """Attempt 2 is refused as long as another slipway seems to have run before, and changes nothing."""
    file, before = run / "versions.json", (run / "status.json").read_bytes()
    versions = file.read_text(encoding="utf-8")
    file.write_text(json.dumps({**json.loads(versions), "slipway": "99.0.0"}), encoding="utf-8")
    refused = start(program, launcher, run, "--slipway-attempt=2", stderr=subprocess.PIPE)
    _, words = refused.communicate(timeout=PATIENCE)
    file.write_text(versions, encoding="utf-8")
    if refused.returncode != 2 or b"is of another slipway (version 99.0.0" not in words:
        return f"another version was not refused: {refused.returncode}\n{words.decode()}"
    if (run / ".attempt-2").exists() or (run / "status.json").read_bytes() != before:
        return "a refused attempt has left something"
    return ""


def check(program: str, launcher: str, run: pathlib.Path) -> str:
    first = start(program, launcher, run)
    deadline = time.monotonic() + PATIENCE
    while status_of(run).get("state") != "running" and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(0.5)
    first.send_signal(signal.SIGUSR1)
    first.send_signal(signal.SIGUSR1)  # twice is once
    if (code := first.wait(PATIENCE)) != 75:
        return f"attempt 1 ended with {code}, not 75: {status_of(run)}"
    if status_of(run)["finished"]:
        return "a run that was told to stop counts as finished"
    if not (run / "state" / "1" / "manifest.json").exists():
        return "nothing was saved"
    if problem := check_other_version(program, launcher, run):
        return problem
    if (code := start(program, launcher, run, "--slipway-attempt=2").wait(PATIENCE)) != 0:
        return f"attempt 2 ended with {code}: {status_of(run)}"
    status = status_of(run)
    if not status["finished"] or status["attempt"] != 2 or status["progress"]["progress_number"] != 60:
        return f"the status of attempt 2: {status}"
    logs = "".join(log.read_text(encoding="utf-8") for log in (run / "logs").glob("*.log"))
    begun = re.search(r"attempt 2 begins at ([1-9]\d*)", logs)
    if not begun:
        return f"attempt 2 began anew:\n{logs}"
    counts = 60 - int(begun[1])
    if status["progress"]["work"] != {"answers": 3 * counts, "counts": counts, "farewells": 3}:
        return f"attempt 2 counted {counts} and reported {status['progress']['work']}"
    report = json.loads((run / "report.json").read_text(encoding="utf-8"))
    work = report["work"][1]
    if work["amount"] != counts or not counts <= work["per_second"] * report["running_ns"] / 1e9 < 2 * counts:
        return f"a rate that does not fit its time: {report}"
    if launcher == "mpi" and not 0.01e9 < report["starting_ns"] < PATIENCE * 1e9:
        return f"the start does not count from that of the process: {report['starting_ns']} ns"
    if not (run / "events" / "work.csv").read_text(encoding="utf-8").startswith("attempt,seconds,unit,amount\n2,"):
        return "no samples of the work of attempt 2"
    if (code := start(program, launcher, run, "--slipway-attempt=2").wait(PATIENCE)) != 2:
        return f"attempt 2 was taken twice, with {code}"
    return ""


def main() -> int:
    with tempfile.TemporaryDirectory() as directory:
        problem = check(sys.argv[1], sys.argv[2], pathlib.Path(directory) / "run")
    print(problem, file=sys.stderr)
    return 1 if problem else 0


if __name__ == "__main__":
    sys.exit(main())
