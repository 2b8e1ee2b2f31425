# SPDX-FileCopyrightText: 2026 The slipway authors
# SPDX-License-Identifier: Apache-2.0
"""run.py --build DIR --json FILE [--ygm DIR] [--rounds N]: slipway against plain MPI, in turns on the same machine.

Prints a table and writes the figures. Each ratio is the median over the rounds of two figures taken right after each other.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys

LIMIT_SECONDS = 120
BENCH = pathlib.Path(__file__).parent


class Machine:
    def __init__(self, build: pathlib.Path):
        self.build = build
        cache = (build / "CMakeCache.txt").read_text(encoding="utf-8")
        self.mpirun = re.search(r"^MPIEXEC_EXECUTABLE:\w+=(.+)$", cache, re.MULTILINE)[1]
        self.mpicxx = re.search(r"^MPI_CXX_COMPILER:\w+=(.+)$", cache, re.MULTILINE)[1]
        version = subprocess.run([self.mpirun, "--version"], capture_output=True, text=True, check=False).stdout
        self.flags = ["--map-by", ":OVERSUBSCRIBE", "--bind-to", "none"] if re.search("Open ?MPI|OpenRTE|PRRTE|prterun", version) else []

    def run(self, ranks: int, program: pathlib.Path, *options: str) -> str:
        command = [self.mpirun, *self.flags, "-n", str(ranks), str(program), *options]
        result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                timeout=LIMIT_SECONDS, check=False, cwd=self.build / "bench")
        if result.returncode != 0:
            sys.exit(f"{' '.join(command)}\nended with status {result.returncode}:\n{result.stdout[-4000:]}")
        return result.stdout

    def figures(self, program: str | pathlib.Path) -> dict[str, float]:
        output = self.run(2, self.build / "bench" / program)
        return {name: float(value) for name, value in re.findall(r"figure (\w+) ([\d.]+)", output)}

    def rate(self, unit: str, ranks: int, program: str, *options: str) -> float:
        found = re.findall(rf"([\d.]+) {unit}/s", self.run(ranks, self.build / program, *options))
        if not found:
            sys.exit(f"{program} printed no {unit}/s")
        return float(found[-1])


def build_ygm(machine: Machine, ygm: pathlib.Path) -> pathlib.Path:
    program = machine.build.resolve() / "bench" / "ygm_posts"
    command = [machine.mpicxx, "-std=c++20", "-O3", "-DNDEBUG", f"-I{ygm / 'include'}", "-o", str(program),
               str(BENCH / "baseline" / "ygm_posts.cpp")]
    if subprocess.run(command, check=False).returncode != 0:
        sys.exit(f"YGM in {ygm} does not build: {' '.join(command)}")
    return program


def one_round(machine: Machine, ygm: pathlib.Path | None) -> dict[str, tuple[float, float]]:
    """Row -> (slipway's figure, the baseline's)."""
    calls, raw = machine.figures("bench_calls"), machine.figures("bench_raw")
    rows = {
        "round trip of a 64 B call, us": (calls["round_trip_us"], raw["round_trip_us"]),
        "calls/s, 64 outstanding": (calls["calls_64_per_s"], raw["messages_64_per_s"]),
        "calls/s, 1024 outstanding": (calls["calls_1024_per_s"], raw["messages_1024_per_s"]),
    }
    if ygm:
        rows["posts/s against YGM"] = (calls["posts_per_s"], machine.figures(ygm)["posts_per_s"])
    # Three trainers, two shards and an evaluator on both sides: nodes on as many ranks as there are cores, or a rank each.
    ranks = min(6, len(os.sched_getaffinity(0)))
    rows["parameter_server, updates/s"] = (machine.rate("updates", ranks, "examples/parameter_server"),
                                           machine.rate("updates", 6, "bench/parameter_server_mpi"))
    return rows


# Row -> (what it must reach, is a small ratio good).
MUST = {
    "round trip of a 64 B call, us": (1.5, True),
    "calls/s, 64 outstanding": (1.5, False),
    "calls/s, 1024 outstanding": (5.0, False),
    "posts/s against YGM": (0.8, False),
    "parameter_server, updates/s": (0.9, False),
}


def summary(rounds: list[dict[str, tuple[float, float]]]) -> list[dict]:
    rows = []
    for name, (must, small_is_good) in MUST.items():
        pairs = [figures[name] for figures in rounds if name in figures]
        if not pairs:
            rows.append({"name": name, "must": must})
            continue
        ratio = statistics.median(own / other for own, other in pairs)
        rows.append({"name": name, "slipway": statistics.median(own for own, _ in pairs),
                     "baseline": statistics.median(other for _, other in pairs), "ratio": ratio, "must": must,
                     "reached": ratio <= must if small_is_good else ratio >= must})
    return rows


def print_table(rows: list[dict]) -> None:
    print(f"{'what':<34}{'slipway':>14}{'baseline':>14}{'ratio':>8}  must")
    for row in rows:
        sign = "<=" if MUST[row["name"]][1] else ">="
        must = f"{sign} {row['must']:g}"
        if "ratio" in row:
            verdict = "" if row["reached"] else "   not reached"
            print(f"{row['name']:<34}{row['slipway']:>14,.2f}{row['baseline']:>14,.2f}{row['ratio']:>8.2f}  {must}{verdict}")
        else:
            print(f"{row['name']:<34}{'not measured':>36}  {must}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--json", type=pathlib.Path, required=True)
    parser.add_argument("--ygm", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=3)
    words = parser.parse_args()
    if os.geteuid() == 0 and "OMPI_ALLOW_RUN_AS_ROOT" not in os.environ:
        sys.exit("mpirun refuses to run as root (it would run programs with all rights); "
                 "set OMPI_ALLOW_RUN_AS_ROOT=1 and OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 if that is what you want")
    machine = Machine(words.build.resolve())
    if not shutil.which(machine.mpirun):
        sys.exit(f"there is no {machine.mpirun} (all rows compare with plain MPI); install an MPI and build again")
    ygm = build_ygm(machine, words.ygm) if words.ygm else None
    rounds = [one_round(machine, ygm) for _ in range(words.rounds)]
    rows = summary(rounds)
    print_table(rows)
    words.json.write_text(json.dumps({"rows": rows, "rounds": rounds}, indent=1) + "\n", encoding="utf-8")
    print(f"figures of all rounds: {words.json}")


main()
