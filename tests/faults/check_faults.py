# SPDX-FileCopyrightText: 2026 The slipway authors
# SPDX-License-Identifier: Apache-2.0
"""check_faults.py PROGRAM [--way alone|local|mpirun] [--mpirun "WORDS..."] [--faults A,B] [--places A,B]
[--victims 0,1] [--limit SECONDS]: fault_program commits each fault at each place (contract 9). Each run must end within
the limit, with the right status, name the first failure first, say the same in status.json, and leave nothing behind.
"""

import argparse
import os
import pathlib
import socket
import sys
import tempfile
import time

import processes
from processes import Failure, require

FAULTS = ["exception", "exit", "abort", "segv", "kill"]
PLACES = ["run", "get", "handler", "loop", "constructor", "stop", "destructor"]
RANKS = 3
TEXTS = {
    "exception": "the fault that was asked for",
    "exit": "exit() was called",
    "abort": "abort() was called",
    "segv": "segmentation fault",
    "kill": "",
}


class Case:
    def __init__(self, way: str, fault: str, place: str, victim: int):
        self.way, self.fault, self.place, self.victim = way, fault, place, victim

    def __str__(self) -> str:
        return f"{self.way} {self.fault} at {self.place} on rank {self.victim}"

    def status(self) -> int:
        return 3 if self.fault == "kill" else 1

    def node(self) -> str:
        if self.fault == "kill":
            return ""
        if self.place != "handler":
            return "victim"
        # The exception of a handler is the outcome of the call; it fails the node that does not handle it.
        return "peer" if self.fault == "exception" else "victim_service"

    def host(self) -> str:
        return "localhost" if self.way == "local" else socket.gethostname()

    def rank(self) -> int:
        return (self.victim + 2) % RANKS if self.node() == "peer" else self.victim


def check_status(case: Case, status: int) -> None:
    if case.way == "mpirun" and case.fault == "kill":
        require(status != 0, "the status is 0")
    else:
        require(status == case.status(), f"the status is {status}, not {case.status()}")


def check_record(case: Case, record: dict) -> dict:
    require(record["state"] == "ended", f"status.json has the state {record['state']}")
    require(record["exit_status"] == case.status(), f"status.json has the exit status {record['exit_status']}")
    failure = record["first_failure"]
    require(failure is not None, "status.json has no first failure")
    for key, value in {"status": case.status(), "node": case.node(), "rank": case.rank(), "host": case.host()}.items():
        require(failure[key] == value, f"status.json has {key} {failure[key]!r} in the first failure, not {value!r}")
    require(TEXTS[case.fault] in failure["text"], f"status.json has the text {failure['text']!r}")
    require(pathlib.Path(failure["log_file"]).is_file(), f"status.json names no log file: {failure['log_file']!r}")
    return failure


def check_terminal(case: Case, stderr: str, failure: dict) -> None:
    lines = [line for line in stderr.splitlines() if line.strip() and not line.startswith("slipway: runs ")]
    if case.way == "mpirun":  # it says something of its own before
        lines = [line for line in lines if line.startswith("slipway: ")]
    require(bool(lines) and lines[0].startswith("slipway: error: "), "the first line is not about the failure")
    for word in (case.node(), f"rank {case.rank()}", f"host {failure['host']}"):
        require(word in lines[0], f"the first line does not name {word!r}: {lines[0]!r}")
    for text in (TEXTS[case.fault], failure["log_file"]):
        require(text in stderr, f"nothing on the terminal says {text!r}")


def run(case: Case, program: str, mpirun: list[str], limit: float) -> None:
    with tempfile.TemporaryDirectory() as directory:
        mark = pathlib.Path(directory) / "mark"
        command = [program, "--fault", case.fault, "--place", case.place, "--victim", str(case.victim), "--mark", mark]
        command = {"alone": [*command, f"--slipway-ranks={RANKS}"],
                   "local": [*command, f"--slipway-ranks={RANKS}", "--slipway-launcher=local"],
                   "mpirun": [*mpirun, str(RANKS), *command]}[case.way]

        def look(outcome: processes.Outcome) -> None:
            require(mark.is_file(), "the fault was not committed")
            took = outcome.ended - int(mark.read_text()) / 1e9
            check_status(case, outcome.status)
            require(took <= limit, f"it took {took:.1f} s from the fault to the end")
            check_terminal(case, outcome.stderr, check_record(case, outcome.status_file()))

        # A bare mpirun leaves MPI's own segments behind now and then.
        processes.run(command, look=look, own_segments_only=case.way == "mpirun")


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--way", default="alone")
    parser.add_argument("--mpirun", default="")
    parser.add_argument("--faults", default=",".join(FAULTS))
    parser.add_argument("--places", default=",".join(PLACES))
    parser.add_argument("--victims", default="1")
    parser.add_argument("--limit", type=float, default=5.0)
    options = parser.parse_args()
    processes.become_subreaper()
    program = os.path.abspath(options.program)
    cases = [Case(options.way, fault, place, int(victim)) for victim in options.victims.split(",")
             for place in options.places.split(",") for fault in options.faults.split(",")]
    failed = 0
    for case in cases:
        began = time.monotonic()
        try:
            run(case, program, options.mpirun.split(), options.limit)
            print(f"ok     {case} ({time.monotonic() - began:.1f} s)", flush=True)
        except Failure as failure:
            failed += 1
            print(f"FAILED {case}: {failure}", flush=True)
    print(f"{len(cases) - failed} of {len(cases)} cases hold", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
