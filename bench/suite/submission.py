# SPDX-FileCopyrightText: 2026 The slipway authors
# SPDX-License-Identifier: Apache-2.0
"""submission.py SLIPWAY PROGRAM TURNS, beside a cluster (tests/slurm/cluster.py): seconds from the command to the first
line that the program logs, by `slipway submit`, and by sbatch and srun with nothing else, in turns.

Both times are the program's own: those that its log has for its first line.
"""

import datetime
import os
import pathlib
import re
import statistics
import subprocess
import sys
import time

NODES = 2
LIMIT_SECONDS = 60


def first_line(run: pathlib.Path) -> float | None:
    """When the first line of any rank was logged, if one is."""
    times = []
    for log in run.glob("logs/*.log"):
        if found := re.match(r"(\S+)Z \S", log.read_text(encoding="utf-8")):
            times.append(datetime.datetime.fromisoformat(found[1]).replace(tzinfo=datetime.timezone.utc).timestamp())
    return min(times, default=None)


def finished(words: list[str], **variables: str) -> str:
    done = subprocess.run(words, env={**os.environ, **variables}, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{words} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def seconds_to_first_line(words: list[str], job: str, base: pathlib.Path, **variables: str) -> float:
    """`job` is where the id of the job stands in what the command prints."""
    start = time.time()
    printed = finished(words, **variables)
    found = re.search(job, printed, re.MULTILINE)
    if not found:
        raise SystemExit(f"{words} printed no job:\n{printed}")
    while finished(["squeue", "--noheader", f"--job={found[1]}"]):
        if time.time() > start + LIMIT_SECONDS:
            raise SystemExit(f"job {found[1]} of {words} did not end in {LIMIT_SECONDS} s")
        time.sleep(0.1)
    logged = [when for run in base.iterdir() if not run.is_symlink() and (when := first_line(run))]
    if len(logged) != 1:
        logs = "".join(file.read_text(encoding="utf-8") for file in pathlib.Path().glob("*.out"))
        raise SystemExit(f"{words} left {len(logged)} runs with a log in {base}, not one:\n{logs}")
    return logged[0] - start


def by_slipway(slipway: str, program: str, base: pathlib.Path) -> float:
    return seconds_to_first_line([slipway, "submit", "--machine", "generic", "--run-base", str(base), "--nodes", str(NODES),
                                  "--ranks-per-node", "1", "--cores-per-rank", "1", "--time", "5m", program],
                                 r"^job (\d+)$", base)


def by_sbatch(program: str, base: pathlib.Path) -> float:
    script = pathlib.Path("bare.sh")
    script.write_text(f"#!/bin/bash\nexec srun --mpi=pmix {program}\n", encoding="utf-8")
    return seconds_to_first_line(["sbatch", "--parsable", f"--nodes={NODES}", "--ntasks-per-node=1", "--cpus-per-task=1",
                                  "--time=5", str(script)], r"^(\d+)$", base, SLIPWAY_RUN_BASE=str(base))


def main() -> None:
    slipway, program, turns = sys.argv[1], sys.argv[2], int(sys.argv[3])
    times = []
    for turn in range(turns):
        bases = [pathlib.Path(f"{who}-{turn}").absolute() for who in ("slipway", "bare")]
        for base in bases:
            base.mkdir()
        times.append((by_slipway(slipway, program, bases[0]), by_sbatch(program, bases[1])))
    own, bare = (statistics.median(of_one) for of_one in zip(*times))
    print(f"figure submit_s {own:.4f}\nfigure sbatch_s {bare:.4f}")


if __name__ == "__main__":
    main()
