# SPDX-FileCopyrightText: 2026 The slipway authors
# SPDX-License-Identifier: Apache-2.0
"""check_cluster.py [CHECK...]: whether the cluster of cluster.py, as whose COMMAND this runs, is one to test with."""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import sys
import time

from cluster import (ClusterError, call, crash_node, hasten, job_field, restart_node, submit, wait_for_job, wait_idle,
                     wait_running, wait_until)

RANKS = 8
HELLO = r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  int rank, size, sum;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  printf("rank %d of %d on %s, sum %d\n", rank, size, getenv("SLURMD_NODENAME"), sum);
  return MPI_Finalize();
}
"""


def require(condition: bool, problem: str) -> None:
    if not condition:
        raise ClusterError(problem)


def batch(name: str, body: str, *options: str) -> str:
    """Submits it; its output goes to NAME.out."""
    script = pathlib.Path(f"{name}.sh")
    script.write_text(f"#!/bin/bash\n{body}\n", encoding="utf-8")
    return submit(f"--output={name}.out", *options, script)


def output(name: str) -> str:
    return pathlib.Path(f"{name}.out").read_text(encoding="utf-8")


def require_end(job: str, name: str, state: str, code: str) -> None:
    end = wait_for_job(job)
    if end != (state, code):
        raise ClusterError(f"job {job} ended as {' '.join(end)}, not {state} {code}; {name}.out:\n{output(name)}")


def run(name: str, body: str, *options: str) -> str:
    """The output of a job that ends well."""
    require_end(batch(name, body, *options), name, "COMPLETED", "0:0")
    return output(name)


def four_nodes() -> None:
    text = run("four_nodes", "srun printenv SLURMD_NODENAME", "--nodes=4", "--ntasks-per-node=1")
    require(sorted(text.split()) == ["node1", "node2", "node3", "node4"], f"the tasks ran on: {text}")


def separate_nodes() -> None:
    in_namespaces = os.uname().nodename == "login"
    for folder in ["$TMPDIR", *(["/dev/shm"] if in_namespaces else [])]:
        text = run("separate_nodes", f"srun sh -c 'touch {folder}/mark.$SLURMD_NODENAME; sleep 2; "
                   f"echo $SLURMD_NODENAME $(hostname) $(ls {folder} | grep -c mark)'", "--nodes=2",
                   "--ntasks-per-node=1")
        found = re.findall(r"^(node\d) (\S+) (\d+)$", text, re.MULTILINE)
        require(len(found) == 2, f"not both nodes spoke: {text}")
        require(all(count == "1" for *_, count in found), f"the nodes share {folder}: {text}")
        require(not in_namespaces or all(node == host for node, host, _ in found), f"wrong host names: {text}")


def require_one_world(text: str) -> None:
    found = re.findall(r"^rank (\d+) of (\d+) on (node\d), sum (\d+)$", text, re.MULTILINE)
    require(sorted(int(rank) for rank, *_ in found) == list(range(RANKS)), f"not every rank spoke once:\n{text}")
    expected = (str(RANKS), str(sum(range(RANKS))))
    require(all((size, total) == expected for _, size, _, total in found), f"this is not one world:\n{text}")
    nodes = [node for _, _, node, _ in found]
    require(all(nodes.count(f"node{number}") == 2 for number in range(1, 5)), f"not two ranks on each node:\n{text}")


def mpi(name: str, launcher: str) -> None:
    if not pathlib.Path("hello").exists():
        pathlib.Path("hello.c").write_text(HELLO, encoding="utf-8")
        call("mpicc", "-o", "hello", "hello.c")
    require_one_world(run(name, f"timeout 120 {launcher} ./hello", "--nodes=4", "--ntasks-per-node=2"))


def mpirun() -> None:
    mpi("mpirun", "mpirun")


def srun_pmix() -> None:
    mpi("srun_pmix", "srun --mpi=pmix")


def exit_code() -> None:
    require_end(batch("exit_code", "exit 7"), "exit_code", "FAILED", "7:0")


def cancel() -> None:
    job = batch("cancel", "srun sleep 600", "--nodes=2")
    wait_running(job)
    call("scancel", job)
    state, _ = wait_for_job(job)
    require(state == "CANCELLED", f"the cancelled job ended as {state}")


def gpus() -> None:
    text = run("gpus", "srun sh -c 'echo $SLURMD_NODENAME $CUDA_VISIBLE_DEVICES'", "--nodes=2", "--ntasks-per-node=1",
               "--gpus-per-node=2")
    found = dict(line.split() for line in text.splitlines())
    require(len(found) == 2 and set(found.values()) == {"0,1"}, f"two GPUs on each of two nodes show as: {text}")


def requeue() -> None:
    job = batch("requeue", "echo start ${SLURM_RESTART_COUNT-none}\n[ -n \"$SLURM_RESTART_COUNT\" ] || sleep 600",
                "--open-mode=append", "--requeue")
    wait_running(job)
    call("scontrol", "requeue", job)
    began = time.monotonic()
    hasten(job)
    require_end(job, "requeue", "COMPLETED", "0:0")
    print(f"       it ran again {time.monotonic() - began:.1f} s after it was queued again", flush=True)
    require(output("requeue").endswith("start 1\n"), f"it was not started again: {output('requeue')}")
    require(job_field(job, "Restarts") == "1", f"Slurm counts {job_field(job, 'Restarts')} restarts")


def crash() -> None:
    job = batch("crash", "srun sh -c 'echo up; sleep 600'", "--nodes=2", "--no-requeue", "--nodelist=node3,node4")
    wait_until(lambda: pathlib.Path("crash.out").exists() and output("crash").count("up") == 2, "both tasks run")
    crash_node(4)  # no sooner: a launch that fails ends the job in another way
    began = time.monotonic()
    state, _ = wait_for_job(job, 300)
    print(f"       Slurm knew of it after {time.monotonic() - began:.1f} s", flush=True)
    require(state == "NODE_FAIL", f"the job on the crashed node ended as {state}")
    began = time.monotonic()
    restart_node(4)
    print(f"       the node was back after {time.monotonic() - began:.1f} s", flush=True)
    wait_idle(3)
    text = run("after_crash", "srun printenv SLURMD_NODENAME", "--nodes=2", "--ntasks-per-node=1",
               "--nodelist=node3,node4")
    require(sorted(text.split()) == ["node3", "node4"], f"after the crash, the tasks ran on: {text}")


CHECKS = [four_nodes, separate_nodes, mpirun, srun_pmix, exit_code, cancel, gpus, requeue, crash]


def main() -> int:
    failed = 0
    checks = [check for check in CHECKS if not sys.argv[1:] or check.__name__ in sys.argv[1:]]
    if not shutil.which("mpicc"):
        print("without: mpirun, srun_pmix (there is no mpicc)", flush=True)
        checks = [check for check in checks if check not in (mpirun, srun_pmix)]
    for check in checks:
        began = time.monotonic()
        try:
            check()
            print(f"ok     {check.__name__} ({time.monotonic() - began:.1f} s)", flush=True)
        except ClusterError as error:
            failed += 1
            print(f"FAILED {check.__name__}: {error}", flush=True)
    print(f"{len(checks) - failed} of {len(checks)} checks hold", flush=True)
    return 1 if failed or not checks else 0


if __name__ == "__main__":
    sys.exit(main())
