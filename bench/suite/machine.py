# SPDX-FileCopyrightText: 2026 The slipway authors
# SPDX-License-Identifier: Apache-2.0
"""Runs programs of one build tree under its mpirun, and its compiler."""

import functools
import json
import os
import pathlib
import re
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

LIMIT_SECONDS = 180
BENCH = pathlib.Path(__file__).resolve().parent.parent


class NotMeasured(Exception):
    """Why a row has no figures here, though nothing is wrong."""


class Failed(NotMeasured):
    """A program did not do what it should."""


class Machine:
    def __init__(self, build: pathlib.Path, ygm: pathlib.Path | None):
        self.build = build
        self.ygm = ygm
        self.cache = (build / "CMakeCache.txt").read_text(encoding="utf-8")
        self.mpirun = self.cached("MPIEXEC_EXECUTABLE")
        version = subprocess.run([self.mpirun, "--version"], capture_output=True, text=True, check=False).stdout
        self.open_mpi = bool(re.search("Open ?MPI|OpenRTE|PRRTE|prterun", version))
        self.flags = ["--map-by", ":OVERSUBSCRIBE", "--bind-to", "none"] if self.open_mpi else []

    def cached(self, name: str) -> str:
        found = re.search(rf"^{name}:\w+=(.+)$", self.cache, re.MULTILINE)
        if not found:
            raise Failed(f"{self.build}/CMakeCache.txt has no {name}")
        return found[1]

    def without_shared_memory(self) -> list[str]:
        if not self.open_mpi:
            raise NotMeasured("how shared memory is switched off is known for Open MPI only")
        return ["--mca", "pml", "ob1", "--mca", "btl", "self,tcp", "--mca", "btl_tcp_if_include", "lo"]

    def run(self, ranks: int, program: str, *options: str, mpirun_flags: list[str] | None = None) -> str:
        return self.start([self.mpirun, *self.flags, *(mpirun_flags or []), "-n", str(ranks), str(self.build / program),
                           *options])

    def start(self, command: list[str]) -> str:
        # Run directories go with the folder that they are made in.
        with tempfile.TemporaryDirectory(dir=self.build / "bench") as folder:
            with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=folder) as process:
                try:
                    output, _ = process.communicate(timeout=LIMIT_SECONDS)
                except subprocess.TimeoutExpired:
                    text = f"{shlex.join(command)}\nran longer than {LIMIT_SECONDS} s:\n{end(process)[-4000:]}"
                    raise Failed(text) from None
                except BaseException:
                    end(process)
                    raise
        if process.returncode != 0:
            raise Failed(f"{shlex.join(command)}\nended with status {process.returncode}:\n{output[-4000:]}")
        return output

    def figures(self, ranks: int, program: str, *options: str, mpirun_flags: list[str] | None = None) -> dict[str, float]:
        return figures_in(self.run(ranks, program, *options, mpirun_flags=mpirun_flags))

    def rate(self, unit: str, ranks: int, program: str, *options: str) -> float:
        """What `program` says of itself in its last "... 12.3 unit/s"."""
        found = re.findall(rf"([\d.]+) {unit}/s", self.run(ranks, program, *options))
        if not found:
            raise Failed(f"{program} printed no {unit}/s")
        return float(found[-1])

    def seconds(self, ranks: int, program: str) -> float:
        return self.command_seconds([self.mpirun, *self.flags, "-n", str(ranks), str(self.build / program)])

    def command_seconds(self, words: list[str]) -> float:
        start = time.perf_counter()
        self.start(words)
        return time.perf_counter() - start

    def figures_beside_slurm(self, script: pathlib.Path, *words: object) -> dict[str, float]:
        """Of a script that has a cluster of its own, of virtual nodes."""
        path = os.environ["PATH"] + ":/usr/sbin:/sbin"
        if missing := [name for name in ("munged", "slurmctld", "slurmd", "srun") if not shutil.which(name, path=path)]:
            raise NotMeasured(f"needs Slurm and its daemons (there is no {', no '.join(missing)})")
        cluster = BENCH.parent / "tests/slurm/cluster.py"
        return figures_in(self.start([sys.executable, "-B", str(cluster), str(self.build / "bench/cluster"), "--",
                                      sys.executable, "-B", str(script), *map(str, words)]))

    def compile_seconds(self, as_source: str, source: pathlib.Path) -> float:
        """Processor time to compile `source` by the command that the build has for `as_source`."""
        commands = self.build / "compile_commands.json"
        if not commands.exists():
            raise NotMeasured("the build tree has no compile_commands.json")
        entries = json.loads(commands.read_text(encoding="utf-8"))
        words = next((shlex.split(entry["command"]) for entry in entries if entry["file"].endswith(as_source)), None)
        if not words:
            raise NotMeasured(f"the build tree does not compile {as_source}")
        words = words[words.index(self.cached("CMAKE_CXX_COMPILER")):]  # without a compiler cache
        words[words.index("-o") + 1] = "/dev/null"
        words[words.index("-c") + 1] = str(source)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.start(words)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    @functools.cached_property
    def ygm_posts(self) -> str:
        """The program, built when first asked for."""
        if not self.ygm:
            raise NotMeasured("needs --ygm DIR")
        program = "bench/ygm_posts"
        self.start([self.cached("MPI_CXX_COMPILER"), "-std=c++20", "-O3", "-DNDEBUG", f"-I{self.ygm / 'include'}", "-o",
                    str(self.build / program), str(BENCH / "baseline/ygm_posts.cpp")])
        return program


def end(process: subprocess.Popen) -> str:
    """Its last output. mpirun that is asked ends its ranks; one that is killed may not."""
    process.terminate()
    try:
        return process.communicate(timeout=20)[0]
    except subprocess.TimeoutExpired:
        process.kill()
        return process.communicate()[0]


def figures_in(output: str) -> dict[str, float]:
    return {name: float(value) for name, value in re.findall(r"^figure (\w+) (-?[\d.]+)$", output, re.MULTILINE)}
