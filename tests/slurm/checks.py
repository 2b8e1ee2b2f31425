# SPDX-FileCopyrightText: 2026 The slipway authors
# SPDX-License-Identifier: Apache-2.0
"""What the checks in this folder are made of."""

from __future__ import annotations

import json
import pathlib
import sys
import tempfile


class Failure(Exception):
    """What is not as it should be."""


def require(condition: bool, text: str) -> None:
    if not condition:
        raise Failure(text)


def status_of(run: pathlib.Path) -> dict:
    """status.json of a run; empty before there is one."""
    try:
        return json.loads((run / "status.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def run_checks(names: dict, run) -> int:
    """Calls run(check, folder) for each check_... of a module, in a folder of its own. The exit status."""
    for name, check in list(names.items()):
        if not name.startswith("check_"):
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                run(check, pathlib.Path(folder).resolve())
            except Failure as failure:
                print(f"FAILED {name}: {failure}", file=sys.stderr)
                return 1
    return 0
