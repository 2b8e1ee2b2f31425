# SPDX-FileCopyrightText: 2026 The slipway authors
# SPDX-License-Identifier: Apache-2.0
"""check_commands.py SOURCE BUILD PAGE [--mpirun PATH] [--limit SECONDS]: runs every command that a page shows.

Commands stand in blocks marked `sh`, one a line, or in blocks marked `console` after "$ ", followed by what they print.
They run in order, in a folder that has the source tree, the example programs and the build tree as build/dev. Each must
end with status 0, and print each line shown; numbers may differ.
"""

import argparse
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

# What cannot run here: pattern, what is run in its place, why.
STAND_INS = [
    (r"^\./bootstrap (demo|test|build|bench)\b", r"./bootstrap --help | grep -Ew '^  \1'",
     "it installs packages, and `test` runs this very test"),
    (r"^cmake --preset (\w+) && cmake --build build/dev", r"cmake --list-presets | grep '\"\1\"'",
     "it would build the tree that this test belongs to"),
    (r"^ctest --preset (\w+) (.*)", r"ctest --preset \1 -N \2", "it would run tests inside a test"),
    (r"^\./plot\.py\b", "python3 -m py_compile plot.py", "it needs matplotlib, which need not be here"),
]
BLOCK = re.compile(r"^( *)```(\w*) *\n(.*?)^\1```", re.MULTILINE | re.DOTALL)
LOOKS_LIKE_A_COMMAND = re.compile(r"^(?:\$ |\./|mpirun |mpiexec |slipway |cmake |ctest |build/)")


class Command:
    def __init__(self, line: int, text: str):
        self.line, self.text, self.shown = line, text, []


def commands_of(page: str) -> list[Command]:
    """The commands in the order of the page, with what is shown of their output."""
    found = []
    for block in BLOCK.finditer(page):
        first = page.count("\n", 0, block.start(3)) + 1
        for number, line in enumerate(block[3].splitlines(), first):
            line = line.removeprefix(block[1]).rstrip()
            if block[2] == "console":
                if line.startswith("$ "):
                    found.append(Command(number, line[2:]))
                elif line and found:
                    found[-1].shown.append(line)
            elif block[2] == "sh" and line and not line.startswith("#"):
                found.append(Command(number, line))
    return found


def unmarked(page: str) -> list[int]:
    """Lines that look like commands, and stand where nobody runs them."""
    numbers = []
    inside = [(page.count("\n", 0, block.start()), page.count("\n", 0, block.end()), block[2])
              for block in BLOCK.finditer(page)]
    for number, line in enumerate(page.splitlines()):
        kind = next((kind for first, last, kind in inside if first <= number <= last), None)
        preformatted = kind == "" or (kind is None and line.startswith("    "))
        if preformatted and LOOKS_LIKE_A_COMMAND.match(line.strip()):
            numbers.append(number + 1)
    return numbers


def essence(line: str) -> str:
    """A line without what differs from run to run: numbers, units, names of folders, widths."""
    line = re.sub(r"\S*/\S*|--\S+ ?\S*", "", line) if line.startswith("slipway: runs ") else line
    line = re.sub(r"/\S*/(?=runs/)", "", line)
    line = re.sub(r"-\d{8}-\d{6}-[0-9a-f]+", "-RUN", line)
    line = re.sub(r"\d[\d.,]*( (ns|us|ms|s|min|h|B|KiB|MiB|GiB))?\b", "N", line)
    return re.sub(r"\s+", " ", line).strip()


def stand_in(text: str) -> tuple[str, str]:
    for pattern, replacement, why in STAND_INS:
        found = re.match(pattern, text)
        if found:
            return found.expand(replacement), why
    return text, ""


class Folder:
    """Where the commands run."""

    def __init__(self, path: pathlib.Path, options: argparse.Namespace):
        self.path = path
        source, build = pathlib.Path(options.source), pathlib.Path(options.build)
        for entry in source.iterdir():
            if entry.name not in ("build", ".git", "runs"):
                (path / entry.name).symlink_to(entry)
        (path / "build").mkdir()
        (path / "build" / "dev").symlink_to(build)
        programs = [entry for entry in (build / "examples").iterdir() if entry.is_file() and os.access(entry, os.X_OK)]
        scripts = list((source / options.page).parent.glob("*.py"))
        for entry in [*programs, *scripts]:
            if not (path / entry.name).exists():
                (path / entry.name).symlink_to(entry)
        tools = path / ".tools"
        tools.mkdir()
        if options.mpirun:
            for name in ("mpirun", "mpiexec"):
                (tools / name).symlink_to(options.mpirun)
        (tools / "python3").symlink_to(sys.executable)
        (tools / "slipway").symlink_to(build / "tools" / "slipway" / "slipway")
        self.environment = {
            **os.environ,
            "PATH": f"{tools}:{os.environ['PATH']}",
            "PYTHONDONTWRITEBYTECODE": "1",
            # More ranks than cores, perhaps as root: what a user is told to set.
            "OMPI_MCA_rmaps_base_oversubscribe": "1",
            "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
            "OMPI_MCA_mpi_yield_when_idle": "1",
            "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        }

    def run(self, text: str, limit: float) -> tuple[int | None, str]:
        """The status, nothing if the time is over, and all output."""
        process = subprocess.Popen(["bash", "-c", text], cwd=self.path, env=self.environment, text=True,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   start_new_session=True)
        try:
            output, _ = process.communicate(timeout=limit)
            return process.returncode, output
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return None, process.communicate()[0]


def problems_of(command: Command, status: int | None, output: str, limit: float) -> list[str]:
    if status is None:
        return [f"it takes longer than {limit:g} s"]
    if status != 0:
        return [f"it ends with status {status}"]
    printed = {essence(line) for line in output.splitlines()}
    return [f"it does not print {line!r}" for line in command.shown if essence(line) not in printed]


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("source")
    parser.add_argument("build")
    parser.add_argument("page")
    parser.add_argument("--mpirun")
    parser.add_argument("--limit", type=float, default=120)
    options = parser.parse_args()
    page = (pathlib.Path(options.source) / options.page).read_text(encoding="utf-8")
    bad = [f"{options.page}:{line}: a command in a block that is not marked sh or console" for line in unmarked(page)]
    with tempfile.TemporaryDirectory() as directory:
        folder = Folder(pathlib.Path(directory), options)
        for command in commands_of(page):
            text, why = stand_in(command.text)
            print(f"{options.page}:{command.line}: {text}" + (f"\n    in place of: {command.text} ({why})" if why else ""),
                  flush=True)
            status, output = folder.run(text, options.limit)
            problems = problems_of(command, status, output, options.limit)
            bad += [f"{options.page}:{command.line}: {command.text}: {problem}" for problem in problems]
            if problems:
                print(output)
    print("\n".join(bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
