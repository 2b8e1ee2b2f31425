# SPDX-FileCopyrightText: 2026 The slipway authors
# SPDX-License-Identifier: Apache-2.0
"""The slipway command, as the checks beside a cluster call it."""

from __future__ import annotations

import json
import pathlib
import re
import subprocess

from checks import Failure
from cluster import wait_until


class Tool:
    """The slipway command of a build."""

    def __init__(self, build: pathlib.Path, source: pathlib.Path):
        self.build = build
        self.source = source
        self.path = build / "tools" / "slipway" / "slipway"
        self.examples = build / "examples"
        self.programs = build / "tests" / "slurm"

    def run(self, *words, status: int | None = 0, limit: float = 200) -> subprocess.CompletedProcess:
        command = [str(self.path), *map(str, words)]
        done = subprocess.run(command, text=True, capture_output=True, timeout=limit, check=False)
        if status is not None and done.returncode != status:
            raise Failure(f"{' '.join(command)} ended with {done.returncode}, not {status}\n{done.stdout}{done.stderr}")
        return done

    def submit(self, *words) -> tuple[str, pathlib.Path]:
        answer = json.loads(self.run("submit", "--json", *words).stdout)
        return answer["job"], pathlib.Path(answer["run_directory"])

    def status(self, run: pathlib.Path) -> dict:
        return json.loads(self.run("status", "--json", run, status=None).stdout)

    def wait_for_state(self, run: pathlib.Path, wanted: str, limit: float = 60) -> None:
        wait_until(lambda: (self.status(run)["status"] or {}).get("state") == wanted, f"{run} is {wanted}", limit)


def decoded_lines(shown: str) -> list[str]:
    """What show_arguments printed."""
    return [re.sub(rb"\\x([0-9a-f]{2})", lambda code: bytes([int(code[1], 16)]), line.encode()).decode()
            for line in shown.splitlines()]
