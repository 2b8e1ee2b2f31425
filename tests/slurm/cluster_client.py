# SPDX-FileCopyrightText: 2026 The slipway authors
# SPDX-License-Identifier: Apache-2.0
"""What a test asks its cluster (see cluster.py), and does to it."""

from __future__ import annotations

import contextlib
import os
import pathlib
import re
import signal
import subprocess
import time

from cluster_processes import all_pids, send

TIME_FACTOR = float(os.environ.get("SLIPWAY_TEST_TIME_FACTOR", "1"))
LONGEST_CALL = 60 * TIME_FACTOR  # seconds; a client of a dead slurmctld waits for ever
ENDS = set("BOOT_FAIL CANCELLED COMPLETED DEADLINE FAILED NODE_FAIL OUT_OF_MEMORY PREEMPTED TIMEOUT".split())


class ClusterError(Exception):
    """What went wrong, in one sentence, and the end of the log that tells more."""


def tail(*logs: pathlib.Path, lines: int = 12) -> str:
    parts = [""]
    for log in logs:
        with contextlib.suppress(OSError):
            parts += [f"---- end of {log}", *log.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:]]
    return "\n".join(parts)


def directory() -> pathlib.Path:
    return pathlib.Path(os.environ["SLIPWAY_TEST_CLUSTER"])


def call(*words: str, environment: dict[str, str] | None = None, limit: float = LONGEST_CALL) -> str:
    """What a client of Slurm prints."""
    try:
        done = subprocess.run(words, env=environment, text=True, capture_output=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        raise ClusterError(f"{' '.join(words)} did not end in {limit:g} s") from None
    if done.returncode != 0:
        raise ClusterError(f"{' '.join(words)} ended with {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def wait_until(condition, what, limit: float = 120):
    """What the condition gives, once it gives something. `what` may be a function that tells how things are."""
    deadline = time.monotonic() + limit * TIME_FACTOR
    while not (result := condition()):
        if time.monotonic() > deadline:
            what = what() if callable(what) else what
            raise ClusterError(f"after {limit * TIME_FACTOR:g} s still not: {what}"
                               + tail(directory() / "log" / "slurmctld.log"))
        time.sleep(0.15)
    return result


def submit(*words) -> str:
    """Gives a batch script, with its arguments, to sbatch. Returns the job's id."""
    return call("sbatch", "--parsable", *map(str, words)).strip().partition(";")[0]


def show_job(job: str) -> str:
    return call("scontrol", "-o", "show", "job", job)


def job_field(job: str, name: str) -> str:
    """A field without blanks of `scontrol show job`; empty if there is none."""
    found = re.search(rf"(?:^| ){re.escape(name)}=(\S*)", show_job(job))
    return found[1] if found else ""


def wait_for_job(job: str, limit: float = 180) -> tuple[str, str]:
    """Its last state and its exit code, as Slurm writes them: ("FAILED", "7:0")."""
    wait_until(lambda: job_field(job, "JobState") in ENDS, lambda: f"the end of job {job}, {show_job(job)}", limit)
    return job_field(job, "JobState"), job_field(job, "ExitCode")


def wait_running(job: str, limit: float = 120) -> None:
    wait_until(lambda: job_field(job, "JobState") == "RUNNING", lambda: f"job {job} runs, {show_job(job)}", limit)


def hasten(job: str, limit: float = 120) -> None:
    """Starts a job soon that was queued again. Slurm makes it wait half a minute, and forgets a time that is set before
    the job waits. A start within the second in which the job ended is refused: its credential looks like the old one.
    """
    wait_until(lambda: call("squeue", "-h", "-j", job, "-t", "PENDING", "-o", "%r").strip() == "BeginTime",
               lambda: f"job {job} waits for its time, {show_job(job)}", limit)
    call("scontrol", "update", f"jobid={job}", "StartTime=now+5")


def wait_idle(number: int, limit: float = 120) -> None:
    wait_until(lambda: call("sinfo", "-h", "-N", "-n", f"node{number}", "-o", "%T").split() == ["idle"],
               lambda: f"node{number} is idle\n{call('sinfo', '-N', '-l')}", limit)


def _belongs_to(pid: int, node: str) -> bool:
    try:
        environment = pathlib.Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return False
    marks = {f"SLIPWAY_TEST_NODE={node}".encode(), f"SLURMD_NODENAME={node}".encode()}
    return f"SLURM_CONF={os.environ['SLURM_CONF']}".encode() in environment and not marks.isdisjoint(environment)


def crash_node(number: int) -> None:
    """All that runs on the node is gone at once; without namespaces, nearly at once."""
    os.kill(int((directory() / "run" / f"node{number}.pid").read_text()), signal.SIGKILL)
    send(signal.SIGKILL, [pid for pid in all_pids() if _belongs_to(pid, f"node{number}")])


def restart_node(number: int, limit: float = 120) -> None:
    """Returns when jobs can run on it."""
    request = directory() / "run" / f"restart.node{number}"
    request.touch()
    wait_until(lambda: not request.exists(), f"node{number} is started", limit)
    wait_idle(number, limit)
