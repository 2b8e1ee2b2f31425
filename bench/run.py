# SPDX-FileCopyrightText: 2026 The slipway authors
# SPDX-License-Identifier: Apache-2.0
"""Slipway against plain MPI, in turns on the same machine: prints a table, and writes the figures of all rounds.

A ratio is the median over the rounds of two figures taken right after each other. Rows without a baseline are absolute.
The status is 1 if a program failed; a figure that misses its mark is no failure.
"""

import argparse
import dataclasses
import json
import os
import pathlib
import shutil
import signal
import sys

from suite.machine import Failed, Machine, NotMeasured
from suite.rows import GROUPS, Group, Pair, Task
from suite.table import print_table, summary


class Results:
    def __init__(self, groups: list[Group]):
        self.groups = groups
        self.rounds: list[dict[str, Pair]] = []
        self.why_not: dict[str, str] = {}  # by group
        self.failed = False

    def add_round(self, task: Task) -> None:
        figures: dict[str, Pair] = {}
        self.rounds.append(figures)
        for group in self.groups:
            print(f"round {len(self.rounds)}: {group.name}", file=sys.stderr)
            try:
                pairs = group.measure(task)
            except NotMeasured as problem:
                self.why_not[group.name] = str(problem)
                if isinstance(problem, Failed):
                    self.failed = True
                    print(problem, file=sys.stderr)
                continue
            figures.update(zip((row.name for row in group.rows), pairs, strict=True))

    def lines(self) -> list[dict]:
        return [summary(row, [figures[row.name] for figures in self.rounds if row.name in figures],
                        self.why_not.get(group.name, "")) for group in self.groups for row in group.rows]


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="the build tree with programs and compiler")
    parser.add_argument("--json", type=pathlib.Path, required=True, help="the file to write")
    parser.add_argument("--ygm", type=pathlib.Path, help="where YGM is unpacked")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--effort", type=int, default=100, metavar="PERCENT",
                        help="of the usual counts; 1 shows that all works, and measures nothing")
    parser.add_argument("--only", action="append", metavar="NAME", choices=[group.name for group in GROUPS],
                        help="this group of rows (again for more): " + ", ".join(group.name for group in GROUPS))
    return parser.parse_args()


def main() -> int:
    words = parse()
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))  # and what runs is ended
    if os.geteuid() == 0 and "OMPI_ALLOW_RUN_AS_ROOT" not in os.environ:
        sys.exit("mpirun refuses to run as root (it would run programs with all rights); "
                 "set OMPI_ALLOW_RUN_AS_ROOT=1 and OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 if that is what you want")
    machine = Machine(words.build.resolve(), words.ygm and words.ygm.resolve())
    if not shutil.which(machine.mpirun):
        sys.exit(f"there is no {machine.mpirun} (nearly all rows compare with plain MPI); install an MPI and build again")
    results = Results([group for group in GROUPS if not words.only or group.name in words.only])
    for _ in range(words.rounds):
        results.add_round(Task(machine, words.effort))
    lines = results.lines()
    print_table(lines)
    rounds = [{name: dataclasses.asdict(pair) for name, pair in figures.items()} for figures in results.rounds]
    words.json.write_text(json.dumps({"rows": lines, "rounds": rounds}, indent=1) + "\n", encoding="utf-8")
    print(f"figures of all rounds: {words.json}")
    return 1 if results.failed else 0


sys.exit(main())
