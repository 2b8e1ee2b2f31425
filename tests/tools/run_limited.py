# SPDX-FileCopyrightText: 2026 The slipway authors
# SPDX-License-Identifier: Apache-2.0
"""run_limited.py SECONDS [--status N] [--matches REGEX] [--] COMMAND ARGS...

Runs COMMAND and returns its status (0 if --status N was asked for and came, or if output matches). When SECONDS are over,
prints the stacks of every process below it, ends them and returns 124. Processes that outlive COMMAND are a failure too.
SLIPWAY_TEST_TIME_FACTOR in the environment multiplies SECONDS. Lets mpirun run as root, which only tests may do. The
temporary directory is its own: two mpiruns that share one can remove session files under each other's feet.
"""

import ctypes
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

PR_SET_CHILD_SUBREAPER = 36
LINGER_SECONDS = 5.0  # an mpirun's helpers may end a moment after it
TOO_LATE = 124
LEFTOVERS = 125
ROOT_VARIABLES = ("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM",
                  "PRTE_ALLOW_RUN_AS_ROOT", "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM")


def descendants() -> list[int]:
    """Living processes below this one, parents first."""
    children: dict[int, list[int]] = {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/stat", encoding="utf-8", errors="replace") as stat:
                state, parent = stat.read().rpartition(")")[2].split()[:2]
        except OSError:
            continue  # it ended meanwhile
        if state not in "ZX":
            children.setdefault(int(parent), []).append(int(entry))
    found, queue = [], [os.getpid()]
    while queue:
        below = children.get(queue.pop(0), [])
        found += below
        queue += below
    return found


def name_of(pid: int) -> str:
    try:
        with open(f"/proc/{pid}/cmdline", encoding="utf-8", errors="replace") as cmdline:
            return cmdline.read().replace("\0", " ").strip()
    except OSError:
        return "?"


def print_stacks(pids: list[int]) -> None:
    for pid in pids:
        print(f"---- process {pid}: {name_of(pid)[:200]}", flush=True)
        gdb = ["gdb", "-p", str(pid), "-batch", "-nx", "-iex", "set debuginfod enabled off",
               "-ex", "set print thread-events off", "-ex", "thread apply all backtrace 40"]
        try:
            result = subprocess.run(gdb, capture_output=True, text=True, timeout=20, check=False)
            print(result.stdout[-20000:], flush=True)
        except (OSError, subprocess.TimeoutExpired) as error:
            print(f"no stack: {error}", flush=True)


def end_all() -> None:
    deadline = time.monotonic() + LINGER_SECONDS
    while (pids := descendants()) and time.monotonic() < deadline:
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        time.sleep(0.05)


def wait_for_leftovers() -> list[int]:
    deadline = time.monotonic() + LINGER_SECONDS
    while (pids := descendants()) and time.monotonic() < deadline:
        time.sleep(0.02)
    return pids


def parse(words: list[str]) -> tuple[float, int, str | None, list[str]]:
    seconds = float(words.pop(0)) * float(os.environ.get("SLIPWAY_TEST_TIME_FACTOR", "1"))
    expected, pattern = 0, None
    while words and words[0] in ("--status", "--matches", "--"):
        option = words.pop(0)
        if option == "--":
            break
        if option == "--status":
            expected = int(words.pop(0))
        else:
            pattern = words.pop(0)
    return seconds, expected, pattern, words


def run(seconds: float, command: list[str], capture: bool) -> tuple[int, str]:
    pipe = subprocess.PIPE if capture else None
    process = subprocess.Popen(command, stdout=pipe, stderr=subprocess.STDOUT if capture else None,
                               stdin=subprocess.DEVNULL, text=True, errors="replace")
    try:
        output, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        print(f"\nnot finished after {seconds:g} s: {' '.join(command)}", flush=True)
        print_stacks(descendants())
        end_all()
        output, _ = process.communicate()
        print(output or "", end="", flush=True)
        return TOO_LATE, output or ""
    if capture:
        print(output, end="", flush=True)
    if pids := wait_for_leftovers():
        print("still running after the end: " + "; ".join(f"{pid} {name_of(pid)[:120]}" for pid in pids), flush=True)
        end_all()
        return LEFTOVERS, output or ""
    status = process.returncode
    return (128 - status if status < 0 else status), output or ""


def main() -> int:
    seconds, expected, pattern, command = parse(sys.argv[1:])
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)  # orphans come to us, so none is missed
    os.environ.update({name: "1" for name in ROOT_VARIABLES})
    with tempfile.TemporaryDirectory(prefix="t-", ignore_cleanup_errors=True) as own:
        os.environ["TMPDIR"] = own
        status, output = run(seconds, command, capture=pattern is not None)
    if status == expected:
        if pattern is None or re.search(pattern, output):
            return 0
        print(f"the output does not match: {pattern}")
        return 1
    if expected != 0:
        print(f"ended with status {status}, expected {expected}")
        return 1 if status == 0 else status
    return status


sys.exit(main())
