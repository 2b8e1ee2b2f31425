# SPDX-FileCopyrightText: 2026 The slipway authors
# SPDX-License-Identifier: Apache-2.0
"""cluster.py DIRECTORY [--nodes N] [--mode auto|host|namespaces] [--cores C] [--gpus G] [--node-timeout S]
[--extra-line LINE]... -- COMMAND ARGS...

Runs COMMAND in DIRECTORY/jobs beside a real Slurm cluster of its own: virtual nodes node1 to nodeN on this machine, run
by this user. Ends with COMMAND's status; with 77 where there can be no such cluster; with 1 if the cluster fails.
DIRECTORY is new, empty, or an earlier cluster's, which is wiped. Nothing is written elsewhere, nothing keeps running.

namespaces  Each node has its own host name, network, processes and /dev/shm. Needs root or user namespaces.
host        The nodes share all that; each slurmd has a port of its own.

COMMAND gets SLURM_CONF and SLIPWAY_TEST_CLUSTER=DIRECTORY; in Python it may import the functions of cluster_client from
here. A node crashes when the pid in DIRECTORY/run/nodeN.pid is killed; touching DIRECTORY/run/restart.nodeN brings it
back.

There are three layers: a keeper outside, which hands signals in and ends what is left; the Cluster, process 1 of its
namespaces if it has some, which starts and stops the daemons; COMMAND. Whichever is killed, the others end.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from cluster_client import (TIME_FACTOR, ClusterError, call, crash_node, hasten,  # noqa: F401: COMMANDs import them
                            job_field, restart_node, show_job, submit, tail, wait_for_job, wait_idle, wait_running,
                            wait_until)
from cluster_files import write_files
from cluster_nodes import UNSHARE, HostNodes, NamespaceNodes
from cluster_processes import become_subreaper, below, describe, end_with_parent, is_gone, send, shell_status

NOT_AVAILABLE = 77
PACKAGES = {"munged": "munge", "slurmctld": "slurmctld", "slurmd": "slurmd", "srun": "slurm-client"}
SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
LONGEST_PATH = 70  # the names of sockets below it come near the limit of 107
MARK = ".slipway-cluster"


class Interrupted(Exception):
    """A signal asks for the end."""


def say(text: str) -> None:
    with contextlib.suppress(OSError):  # whoever listened may be gone
        print(f"cluster: {text}", file=sys.stderr, flush=True)


class Cluster:
    """Has its process for itself: whatever comes to be below it is the cluster's, and ends with it."""

    def __init__(self, options: argparse.Namespace):
        self.signal = 0
        self.directory = pathlib.Path(options.directory)
        self.root = pathlib.Path(options.inside)  # the same by a short and plain name
        self._options = options
        self._kind = (NamespaceNodes if options.mode == "namespaces" else HostNodes)(options.nodes)
        self._processes: dict[int, subprocess.Popen] = {}  # those that are not reaped yet
        self._nodes: dict[int, int] = {}                   # a node's number, and the pid whose end is its crash
        self._munged = self._slurmctld = self._command = 0
        self._environment = {
            **os.environ, **self._kind.environment, "SLURM_CONF": str(self.root / "etc" / "slurm.conf"),
            "SLIPWAY_TEST_CLUSTER": str(self.directory), "TMPDIR": str(self.root / "tmp" / "login")}

    def __enter__(self) -> Cluster:
        become_subreaper()
        for number in SIGNALS:
            signal.signal(number, self._note_signal)
        try:
            self._lock_directory()
            write_files(self.root, self._options, self._kind)
            self._kind.prepare(self)
            self._start()
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(self, kind, error, trace) -> None:
        self._stop()

    def run(self, command: list[str]) -> int:
        """Runs it to its end, and serves its wishes meanwhile."""
        try:
            process = subprocess.Popen(command, cwd=self.directory / "jobs", env=self._environment)
        except OSError as error:
            say(f"cannot run {command[0]}: {error.strerror}")
            return 127
        self._command, self._processes[process.pid] = process.pid, process
        while process.poll() is None:
            self._check()
            self._restart_nodes()
            time.sleep(0.05)
        self._command = 0
        return shell_status(process.returncode)

    # For the nodes

    def log(self, name: str) -> pathlib.Path:
        return self.root / "log" / name

    def spawn(self, words: list[str], log: str, streams: dict | None = None, **variables: str) -> subprocess.Popen:
        with open(self.log(log), "ab") as output:
            streams = {"stdin": subprocess.DEVNULL, "stdout": output, "stderr": output, **(streams or {})}
            process = subprocess.Popen(words, env={**self._environment, **variables}, start_new_session=True,
                                       preexec_fn=end_with_parent(signal.SIGKILL), **streams)
        self._processes[process.pid] = process
        return process

    def call(self, *words: str) -> str:
        return call(*words, environment=self._environment)

    def wait_until(self, condition, what: str, limit: float, *logs: str) -> None:
        limit *= TIME_FACTOR
        deadline = time.monotonic() + limit
        while not condition():
            self._check()
            if time.monotonic() > deadline:
                raise ClusterError(f"after {limit:g} s still not: {what}{tail(*map(self.log, logs))}")
            time.sleep(0.05)

    # Its own

    def _note_signal(self, number: int, _) -> None:
        self.signal = self.signal or number

    def _check(self) -> None:
        self._reap()
        if self.signal:
            raise Interrupted
        for name, pid in {"munged": self._munged, "slurmctld": self._slurmctld}.items():
            if pid and is_gone(pid):
                raise ClusterError(f"{name} has ended{tail(self.log(f'{name}.out'))}")

    def _reap(self) -> None:
        with contextlib.suppress(ChildProcessError):
            while ended := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                if process := self._processes.pop(ended.si_pid, None):
                    process.wait()
                else:
                    os.waitpid(ended.si_pid, 0)

    def _lock_directory(self) -> None:
        names = os.listdir(self.directory)
        if names and MARK not in names:
            raise ClusterError(f"{self.directory} is neither empty nor a cluster's")
        self._lock = open(self.directory / MARK, "w", encoding="utf-8")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise ClusterError(f"another cluster runs in {self.directory}") from None

    def _start(self) -> None:
        munge = self.root / "munge"
        self._munged = self.spawn(
            ["munged", "--foreground", "--force", f"--key-file={munge}/key", f"--socket={munge}/socket",
             f"--pid-file={munge}/pid", f"--seed-file={munge}/seed", f"--log-file={self.log('munged.log')}"],
            "munged.out").pid
        self.wait_until((munge / "socket").exists, "munged listens", 60, "munged.out")
        self._slurmctld = self.spawn(["slurmctld", "-D"], "slurmctld.out").pid
        numbers = range(1, self._options.nodes + 1)
        for number in numbers:
            self._start_node(number)
        logs = ["slurmctld.out", *(f"slurmd.node{number}.out" for number in numbers)]
        self.wait_until(self._all_idle, "all nodes are idle", 120, *logs)

    def _all_idle(self) -> bool:
        try:
            states = self.call("sinfo", "-h", "-N", "-p", "main", "-o", "%T").split()
        except ClusterError:  # it does not listen yet
            return False
        return states == ["idle"] * self._options.nodes

    def _start_node(self, number: int) -> None:
        self._nodes[number] = self._kind.start(self, number)
        file = self.root / "run" / f"node{number}.pid"
        file.with_suffix(".new").write_text(f"{self._nodes[number]}\n", encoding="utf-8")
        file.with_suffix(".new").rename(file)

    def _restart_nodes(self) -> None:
        for request in (self.root / "run").glob("restart.node*"):
            number = int(request.name[len("restart.node"):])
            self._end([self._nodes[number]])
            self._start_node(number)
            request.unlink()

    def _end(self, pids: list[int]) -> None:
        """Ends them politely, then not."""
        for number, limit in ((signal.SIGTERM, 8 * TIME_FACTOR), (signal.SIGKILL, 5 * TIME_FACTOR)):
            deadline = time.monotonic() + limit
            send(number, pids)
            while (pids := [pid for pid in pids if not is_gone(pid)]) and time.monotonic() < deadline:
                self._reap()
                time.sleep(0.02)
            if left := describe(pids):
                say(f"{number.name} and {limit:g} s did not end {left}")

    def _stop(self) -> None:
        """Clients before servers: a slurmd without its slurmctld does not listen to SIGTERM."""
        if self._command:
            self._end([self._command, *below(self._command)])
        servers = [pid for pid in (self._slurmctld, self._munged) if pid and not is_gone(pid)]
        if len(servers) == 2:
            self._cancel_jobs()
        self._end(list(self._nodes.values()))
        others = set(below(os.getpid())) - {*servers, *below(*servers)}
        self._end(sorted(others))
        for server in servers:
            self._end([server])
        self._reap()

    def _cancel_jobs(self) -> None:
        deadline = time.monotonic() + 12 * TIME_FACTOR
        try:
            while jobs := self.call("squeue", "-h", "-o", "%i:%T").split():
                ending = all(job.endswith(":COMPLETING") for job in jobs)
                if ending and "slurmstepd" not in describe(below(os.getpid())):
                    return  # it waits for a node that crashed
                if time.monotonic() > deadline:
                    raise ClusterError(f"these jobs do not end: {' '.join(jobs)}{tail(self.log('slurmctld.log'))}")
                self.call("scancel", "--quiet", f"--user={os.geteuid()}")
                time.sleep(0.1)
        except ClusterError as error:
            say(str(error))


def run_inside(options: argparse.Namespace, command: list[str]) -> int:
    cluster = None
    try:
        with (cluster := Cluster(options)):
            return cluster.run(command)
    except Interrupted:
        return 128 + cluster.signal
    except (ClusterError, OSError) as error:
        say(str(error))
        return 1


# The keeper


def choose_mode(wanted: str) -> str:
    """The mode to take; empty, with a word why, if there is none."""
    if missing := [f"{name} (package {package})" for name, package in PACKAGES.items() if not shutil.which(name)]:
        say(f"not available: there is no {', no '.join(missing)}")
        return ""
    problem = NamespaceNodes.problem() if wanted != "host" else "they are not wanted"
    if problem and wanted == "namespaces":
        say(f"not available: there can be no namespaces: {problem}")
        return ""
    return "host" if problem else "namespaces"


@contextlib.contextmanager
def short_name(directory: str):
    """The directory, or a link to it where its own name is too much for sockets and slurm.conf."""
    if len(os.fsencode(directory)) <= LONGEST_PATH and re.fullmatch(r"[\w/.+-]+", directory, re.ASCII):
        yield directory
        return
    with tempfile.TemporaryDirectory(prefix="slipway-cluster-", dir="/tmp") as folder:
        link = os.path.join(folder, "c")
        os.symlink(directory, link)
        yield link


def set_environment() -> None:
    """What a surrounding job or a user's habits left there is not for this cluster."""
    for name in [name for name in os.environ if re.match("SLURM|SBATCH|SRUN|SALLOC|SQUEUE|SINFO|SCANCEL|PMI", name)]:
        del os.environ[name]
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    if os.geteuid() == 0:
        for name in ("OMPI_ALLOW_RUN_AS_ROOT", "PRTE_ALLOW_RUN_AS_ROOT"):
            os.environ.update({name: "1", f"{name}_CONFIRM": "1"})


def keep(words: list[str], mode: str) -> int:
    """Runs the cluster to its end. Signals go to it; when it is gone, so is all that it started."""
    become_subreaper()
    received: list[int] = []
    for number in SIGNALS:
        signal.signal(number, lambda number, _: received.append(number))
    if mode == "namespaces":  # with unshare all ends that is in them
        process = subprocess.Popen([*UNSHARE, *words], preexec_fn=end_with_parent(signal.SIGKILL))
    else:                     # without them, the cluster has to stop by itself
        process = subprocess.Popen(words, preexec_fn=end_with_parent(signal.SIGTERM))
    handed_on = 0.0
    while process.poll() is None:
        if received and time.monotonic() > handed_on + 1:  # again and again: it may not have been ready
            send(received[0], below(process.pid)[:1] if mode == "namespaces" else [process.pid])
            handed_on = time.monotonic()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=0.1)
    if left := describe(below(os.getpid())):
        say(f"ended by force: {left}")
    deadline = time.monotonic() + 10
    while (left := below(os.getpid())) and time.monotonic() < deadline:
        send(signal.SIGKILL, left)
        time.sleep(0.02)
    return 128 + received[0] if received else shell_status(process.returncode)


def main() -> int:
    words = sys.argv[1:]
    middle = words.index("--") if "--" in words else len(words)
    words, command = words[:middle], words[middle + 1:]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=os.path.abspath)
    parser.add_argument("--nodes", type=int, default=4)
    parser.add_argument("--mode", choices=["auto", "host", "namespaces"], default="auto")
    parser.add_argument("--cores", type=int, default=4, help="claimed by each node")
    parser.add_argument("--gpus", type=int, default=4, help="claimed by each node")
    parser.add_argument("--node-timeout", type=int, default=15, help="seconds until a silent node is down")
    parser.add_argument("--extra-line", action="append", default=[], help="for slurm.conf; the last value counts")
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    options = parser.parse_args(words)
    if not command or not 1 <= options.nodes <= 250:
        parser.error("there is no COMMAND after --" if not command else "there can be 1 to 250 nodes")
    if options.inside:
        return run_inside(options, command)
    set_environment()
    if not (mode := choose_mode(options.mode)):
        return NOT_AVAILABLE
    os.makedirs(options.directory, exist_ok=True)
    with short_name(options.directory) as root:
        return keep([sys.executable, "-B", __file__, *words, "--mode", mode, "--inside", root, "--", *command], mode)


if __name__ == "__main__":
    sys.exit(main())
