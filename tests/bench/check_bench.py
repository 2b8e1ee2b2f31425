# SPDX-FileCopyrightText: 2026 The slipway authors
# SPDX-License-Identifier: Apache-2.0
"""check_bench.py SOURCE BUILD: one round of the benchmarks with next to no effort has a figure for each row."""

import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(sys.argv[1], "bench")))
from suite.rows import GROUPS  # noqa: E402  pylint: disable=wrong-import-position

# What a group says where it cannot be measured.
ELSEWHERE = {"posts": "--ygm", "submission": "needs Slurm", "metg": "needs a compiler with OpenMP"}


def require(condition, problem):
    if not condition:
        raise SystemExit(f"check_bench: {problem}")


def check(group, row, line):
    if "not_measured" in line:
        require(group.name in ELSEWHERE, f"{row.name} is not measured: {line}")
        require(ELSEWHERE[group.name] in line["not_measured"], f"{row.name} does not say what it needs: {line}")
        return
    require(line.get("slipway", -1) >= 0, f"{row.name} has no figure: {line}")
    compared = "difference" if row.difference else "ratio"
    require((compared in line) == ("baseline" in line), f"{row.name} has a {compared} or a baseline alone: {line}")
    require(("reached" in line) == (row.must is not None), f"{row.name} is not judged as it should be: {line}")


def main():
    source, build = (pathlib.Path(word) for word in sys.argv[1:])
    with tempfile.TemporaryDirectory() as directory:
        file = pathlib.Path(directory, "bench.json")
        finished = subprocess.run([sys.executable, "-B", source / "bench/run.py", "--build", build, "--json", file, "--rounds",
                                   "1", "--effort", "1"], stdout=subprocess.PIPE, text=True, check=False)
        print(finished.stdout, flush=True)
        require(finished.returncode == 0, f"the status is {finished.returncode}, not 0")
        lines = {line["name"]: line for line in json.loads(file.read_text(encoding="utf-8"))["rows"]}
    rows = [(group, row) for group in GROUPS for row in group.rows]
    require(len(lines) == len(rows), f"there are {len(lines)} rows, not {len(rows)}")
    for group, row in rows:
        table_lines = [text for text in finished.stdout.splitlines() if text.startswith(f"{row.name} ")]
        require(len(table_lines) == 1, f"{row.name} is not one line of the table")
        check(group, row, lines[row.name])


if __name__ == "__main__":
    main()
