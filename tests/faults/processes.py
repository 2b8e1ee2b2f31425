# SPDX-FileCopyrightText: 2026 The slipway authors
# SPDX-License-Identifier: Apache-2.0
"""Programs run as a user runs them: what they print, how they end, what they leave behind."""

import ctypes
import dataclasses
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time

PR_SET_CHILD_SUBREAPER = 36
LONGEST_RUN = 60.0       # seconds; a run that takes longer hangs
LINGER_SECONDS = 3.0     # an mpirun's helpers may end a moment after it
SHARED_MEMORY = pathlib.Path("/dev/shm")


class Failure(Exception):
    """What did not hold, in one sentence."""


def require(condition: bool, problem: str) -> None:
    if not condition:
        raise Failure(problem)


def become_subreaper() -> None:
    """Orphans of what is run below come to this process, so none is missed."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def descendants() -> dict[int, str]:
    """Living processes below this one, with their command lines."""
    children: dict[int, list[int]] = {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            stat = pathlib.Path("/proc", entry, "stat").read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue  # it ended meanwhile
        state, parent = stat.rpartition(")")[2].split()[:2]
        if state not in "ZX":
            children.setdefault(int(parent), []).append(int(entry))
    found, queue = {}, [os.getpid()]
    while queue:
        for pid in children.get(queue.pop(0), []):
            found[pid] = _command_line(pid)
            queue.append(pid)
    return found


def _command_line(pid: int) -> str:
    try:
        return pathlib.Path("/proc", str(pid), "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return "?"


def _segments() -> set[str]:
    return {entry.name for entry in SHARED_MEMORY.iterdir()} if SHARED_MEMORY.is_dir() else set()


def _is_mapped(segment: str) -> bool:
    """Whether a living process uses it: then it belongs to another run on this machine."""
    path = str(SHARED_MEMORY / segment)
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            if path in pathlib.Path("/proc", entry, "maps").read_text(encoding="utf-8", errors="replace"):
                return True
        except OSError:
            continue
    return False


def wait_until(condition, what: str, seconds: float = 20.0):
    """What the condition gives, once it gives something."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if result := condition():
            return result
        time.sleep(0.02)
    raise Failure(f"after {seconds:g} s still not: {what}")


@dataclasses.dataclass
class Outcome:
    status: int
    stdout: str
    stderr: str
    ended: float  # seconds since 1970
    run: pathlib.Path

    def status_file(self) -> dict:
        return json.loads((self.run / "status.json").read_text(encoding="utf-8"))

    def show(self) -> str:
        logs = sorted((self.run / "logs").glob("*"))
        parts = [f"status {self.status}", "---- stdout", self.stdout, "---- stderr", self.stderr]
        for file in [*logs, self.run / "status.json"]:
            if file.is_file():
                parts += [f"---- {file.name}", file.read_text(encoding="utf-8", errors="replace")]
        return "\n".join(parts)


class Program:
    """One run, in a folder of its own. Nothing of it may be left when the `with` ends."""

    def __init__(self, command: list[str], directory: str, environment: dict[str, str] | None = None,
                 own_segments_only: bool = False):
        self.run = pathlib.Path(directory) / "run"
        self._command = [str(word) for word in command] + [f"--slipway-run-directory={self.run}"]
        self._directory = directory
        self._environment = {**os.environ, **(environment or {})}
        self._own_segments_only = own_segments_only

    def __enter__(self) -> "Program":
        self._segments_before = _segments()
        self._stdout = tempfile.TemporaryFile("w+")
        self._stderr = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(self._command, cwd=self._directory, env=self._environment, text=True,
                                        stdin=subprocess.DEVNULL, stdout=self._stdout, stderr=self._stderr)
        return self

    def __exit__(self, kind, error, trace) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        _end_all_below()
        self._stdout.close()
        self._stderr.close()

    def stderr_so_far(self) -> str:
        return os.pread(self._stderr.fileno(), 1 << 20, 0).decode(errors="replace")

    def status_so_far(self) -> dict:
        try:
            return json.loads((self.run / "status.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}

    def wait_running(self) -> dict:
        return wait_until(lambda: self.status_so_far().get("state") == "running" and self.status_so_far(), "it runs")

    def signal(self, number: int) -> None:
        self.process.send_signal(number)

    def finish(self, seconds: float = LONGEST_RUN) -> Outcome:
        """Waits for the end, and requires that nothing was left."""
        try:
            status = self.process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            raise Failure(f"still not ended after {seconds:g} s; below it: {list(descendants().values())}\n"
                          + self.stderr_so_far()) from None
        ended = time.time()
        text = [os.pread(file.fileno(), 1 << 24, 0).decode(errors="replace") for file in (self._stdout, self._stderr)]
        outcome = Outcome(status, *text, ended, self.run)
        try:
            self._require_nothing_left()
        except Failure as failure:
            raise Failure(f"{failure}\n{outcome.show()}") from None
        return outcome

    def _require_nothing_left(self) -> None:
        _reap_orphans()
        deadline = time.monotonic() + LINGER_SECONDS
        while (left := (descendants(), self._segments_left())) != ({}, set()) and time.monotonic() < deadline:
            time.sleep(0.02)
        require(not left[0], f"processes are left: {left[0]}")
        require(not left[1], f"files are left in {SHARED_MEMORY}: {left[1]}")

    def _segments_left(self) -> set[str]:
        new = _segments() - self._segments_before
        if self._own_segments_only:
            new = {name for name in new if "slipway" in name}
        return {name for name in new if not _is_mapped(name)}


def _reap_orphans() -> None:
    try:
        while os.waitpid(-1, os.WNOHANG) != (0, 0):
            pass
    except ChildProcessError:
        pass  # there are none


def _end_all_below() -> None:
    deadline = time.monotonic() + LINGER_SECONDS
    while time.monotonic() < deadline and (pids := descendants()):
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        time.sleep(0.02)


def run(command: list[str], environment: dict[str, str] | None = None, look=None, seconds: float = LONGEST_RUN,
        own_segments_only: bool = False) -> Outcome:
    """One whole run. `look(outcome)` sees the folder before it is removed; a failure shows what was printed."""
    with tempfile.TemporaryDirectory() as directory:
        with Program(command, directory, environment, own_segments_only) as program:
            outcome = program.finish(seconds)
        try:
            if look:
                look(outcome)
        except Failure as failure:
            raise Failure(f"{failure}\n{outcome.show()}") from None
        return outcome
