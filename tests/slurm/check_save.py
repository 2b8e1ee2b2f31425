# SPDX-FileCopyrightText: 2026 The slipway authors
# SPDX-License-Identifier: Apache-2.0
"""check_save.py SLIPWAY PROGRAM LAUNCHER: `slipway save` has a running program save, and a crash costs no more than what
came after. No Slurm."""

import pathlib
import re
import subprocess
import sys
import tempfile
import time

from checks import status_of

PATIENCE = 60  # seconds


def wait_until(condition) -> bool:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def start(program: str, launcher: str, run: pathlib.Path, *more: str) -> subprocess.Popen:
    return subprocess.Popen([program, "--steps", "400", f"--slipway-launcher={launcher}", f"--slipway-run-directory={run}",
                             *more])


def save(tool: str, run: pathlib.Path) -> subprocess.CompletedProcess:
    return subprocess.run([tool, "save", run, "--reason", "for the test"], text=True, capture_output=True, timeout=PATIENCE,
                          check=False)


def steps_of(run: pathlib.Path) -> int:
    return status_of(run)["progress"]["progress_number"]


def check(tool: str, program: str, launcher: str, run: pathlib.Path) -> str:
    first = start(program, launcher, run, "--pause", "20", "--crash-at", "350", "--slipway-heartbeat=100ms")
    if not wait_until(lambda: status_of(run).get("state") == "running" and steps_of(run) > 0):
        return f"it does not run: {status_of(run)}"
    for number in (1, 2):
        saved = save(tool, run)
        if saved.returncode != 0 or saved.stdout != f"state {number} is saved\n":
            return f"save {number}: {saved}"
        if not (run / "state" / str(number) / "manifest.json").exists() or status_of(run)["saved_state"] != number:
            return f"state {number} is not there: {status_of(run)}"
    then = steps_of(run)
    if not wait_until(lambda: steps_of(run) > then):
        return "the program did not go on"
    if (code := first.wait(PATIENCE)) != 1:
        return f"attempt 1 ended with {code}, not 1: {status_of(run)}"
    late = save(tool, run)
    if late.returncode != 2 or "only a running program can save its state" not in late.stderr:
        return f"a run that is over was asked to save: {late}"
    shown = subprocess.run([tool, "status", run], text=True, capture_output=True, timeout=PATIENCE, check=False)
    if not re.search(r"^saved state +2$", shown.stdout, re.MULTILINE):
        return f"the status does not name the state: {shown}"
    if (code := start(program, launcher, run, "--pause", "1", "--slipway-attempt=2").wait(PATIENCE)) != 0:
        return f"attempt 2 ended with {code}: {status_of(run)}"
    logs = "".join(log.read_text(encoding="utf-8") for log in (run / "logs").glob("*.log"))
    for line in (r"state 2 is to be saved: for the test", r"state 2 is saved: 1 node, \d+ bytes", r"attempt 2 begins at [1-9]"):
        if not re.search(line, logs):
            return f"no log says {line!r}:\n{logs}"
    return ""


def main() -> int:
    with tempfile.TemporaryDirectory() as directory:
        problem = check(sys.argv[1], sys.argv[2], sys.argv[3], pathlib.Path(directory) / "run")
    print(problem, file=sys.stderr)
    return 1 if problem else 0


if __name__ == "__main__":
    sys.exit(main())
