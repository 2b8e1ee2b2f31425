# SPDX-FileCopyrightText: 2026 The slipway authors
# SPDX-License-Identifier: Apache-2.0
"""check_house.py ROOT RULE...: what the layout of this project promises. Prints each violation as file:line; 1 if any."""

import os
import pathlib
import re
import subprocess
import sys

TOP_LEVEL = set("CMakeLists.txt CMakePresets.json README.md CHANGELOG.md CITATION.cff CONTRIBUTING.md LICENSE bootstrap core "
                "mpi_transport slurm local examples jobscripts tests bench tools docs build runs".split())

# Who may include whom: base <- graph <- observe <- rpc <- {tasks, state} <- runtime; the transports see core alone.
CORE = ["base", "graph", "observe", "rpc", "tasks", "state", "runtime"]
ALLOWED = {
    "core/base": CORE[:1],
    "core/graph": CORE[:2],
    "core/observe": CORE[:3],
    "core/rpc": CORE[:4],
    "core/tasks": CORE[:5],
    "core/state": CORE[:4] + ["state", "hdf5_lock.hpp"],
    "core/runtime": CORE + ["slipway.hpp", "testing.hpp", "hdf5_lock.hpp"],
    "core/runtime/launch": CORE + ["slipway.hpp", "testing.hpp", "mpi", "local", "slurm"],
    "mpi_transport": CORE + ["mpi"],
    "local": CORE + ["local"],
    "slurm": CORE + ["slurm"],
}
CODE = (".hpp", ".cpp", ".c", ".h")
COMMENTED = (*CODE, ".py", ".sh", ".cmake", ".in", ".md", ".cff")
COMMENTED_NAMES = ("CMakeLists.txt", "bootstrap", "run", ".clang-format", ".clang-tidy", ".editorconfig")
USERS_SOLVER = "examples/stencil_ensemble/plate.hpp"  # stands for one that a user has already, written with MPI
MOST_LINES = 500
SPDX = ("SPDX-FileCopyrightText: ", "SPDX-License-Identifier: Apache-2.0")
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')
MPI_HEADER = re.compile(r"mpi(-ext)?\.h$")
FOREIGN_HEADER = re.compile(r"mpi(-ext)?\.h$|hdf5|^H5|slurm\.h|^slurm/|^pmix")
MPI_CALL = re.compile(r"\bMPI_[A-Z][a-z]\w*\s*\(")
MARKS = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK|GTEST_" r"SKIP|DISABLED" r"_\w*)\b")


class House:
    def __init__(self, root: pathlib.Path):
        self.root = root
        self.files = sorted(self._files())

    def _files(self) -> list[str]:
        listing = subprocess.run(["git", "-C", str(self.root), "ls-files", "-z", "-c", "-o", "--exclude-standard"],
                                 capture_output=True, text=True, check=False)
        if (self.root / ".git").exists() and listing.returncode == 0:
            return [name for name in listing.stdout.split("\0") if name and (self.root / name).is_file()]
        found = []
        for folder, folders, names in os.walk(self.root):
            folders[:] = [name for name in folders if name not in ("build", "runs", ".git", "__pycache__")]
            found += [str(pathlib.Path(folder, name).relative_to(self.root)) for name in names]
        return found

    def lines(self, name: str) -> list[str]:
        return (self.root / name).read_text(encoding="utf-8", errors="replace").splitlines()

    def includes(self, name: str) -> list[tuple[int, str]]:
        matches = ((number, INCLUDE.match(line)) for number, line in enumerate(self.lines(name), 1))
        return [(number, match[1]) for number, match in matches if match]

    def code(self) -> list[str]:
        return [name for name in self.files if name.endswith(CODE)]


def includes(house: House):
    """Includes follow the direction of the rooms, and programs see public headers only."""
    rooms = sorted(ALLOWED, key=len, reverse=True)
    for name in house.code():
        room = next((room for room in rooms if name.startswith(room + "/")), None)
        for number, target in house.includes(name):
            first, _, rest = target.partition("/")
            if room and first == "slipway" and rest.split("/")[0] not in ALLOWED[room]:
                yield f"{name}:{number}: {room} may not include {target}"
            if name.startswith(("examples/", "tools/")) and ("src/" in target or "../" in target):
                yield f"{name}:{number}: a program sees public headers only, not {target}"


def foreign(house: House):
    """MPI stays in mpi_transport/src, tests and bench; public headers are free of MPI, HDF5 and Slurm."""
    for name in house.code():
        outside = not name.startswith(("mpi_transport/src/", "tests/", "bench/")) and name != USERS_SOLVER
        public = "/include/" in name
        for number, target in house.includes(name):
            if outside and MPI_HEADER.search(target):
                yield f"{name}:{number}: {target} belongs in mpi_transport/src"
            elif public and FOREIGN_HEADER.search(target) and not target.startswith("slipway/"):
                yield f"{name}:{number}: public headers may not include {target}"
        if outside:
            for number, line in enumerate(house.lines(name), 1):
                if MPI_CALL.search(line.partition("//")[0]):
                    yield f"{name}:{number}: MPI is called in mpi_transport/src only"


def licence(house: House):
    """Each file that can hold a comment begins with the two SPDX lines."""
    for name in house.files:
        path = pathlib.PurePath(name)
        if path.suffix in COMMENTED or path.name in COMMENTED_NAMES:
            head = "\n".join(house.lines(name)[:4])
            if not all(line in head for line in SPDX):
                yield f"{name}:1: the two SPDX lines are missing"


def top_level(house: House):
    """Nothing but the agreed names at the root."""
    for name in sorted({name.split("/")[0] for name in house.files}):
        if not name.startswith(".") and name not in TOP_LEVEL:
            yield f"{name}:1: is not part of the top level"


def length(house: House):
    """A file has one role, so it is short."""
    for name in house.files:
        if name.endswith((*CODE, ".py", ".sh", ".cmake")) or pathlib.PurePath(name).name in ("CMakeLists.txt", "bootstrap"):
            lines = len(house.lines(name))
            if lines > MOST_LINES:
                yield f"{name}:{MOST_LINES}: has {lines} lines, more than {MOST_LINES}"


def finished(house: House):
    """No marks of unfinished or switched-off work."""
    for name in house.files:
        if name.endswith((*CODE, ".py", ".sh", ".cmake")):
            for number, line in enumerate(house.lines(name), 1):
                if match := MARKS.search(line):
                    yield f"{name}:{number}: {match[1]}"


RULES = {rule.__name__: rule for rule in (includes, foreign, licence, top_level, length, finished)}


def main() -> int:
    house = House(pathlib.Path(sys.argv[1]))
    problems = [problem for rule in sys.argv[2:] for problem in RULES[rule](house)]
    print("\n".join(problems) if problems else f"{len(house.files)} files, no violation")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
