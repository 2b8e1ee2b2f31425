# SPDX-FileCopyrightText: 2026 The slipway authors
# SPDX-License-Identifier: Apache-2.0
"""What `./bootstrap` installs on a machine that has nothing: asked of the script, with commands of our own in place of
the package manager's."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

BOOTSTRAP = pathlib.Path(sys.argv.pop())

COMMANDS = {
    "dpkg-query": "exit 1",  # nothing is installed
    "apt-cache": "exit 1",
    "sudo": 'case "$1" in -*) exit 0;; esac; exec "$@"',
    "apt-get": 'echo "$@" >>"$CALLS"; [ "$1" = update ]',  # and nothing can be
}


class Bootstrap(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        shutil.copy(BOOTSTRAP, self.folder / "bootstrap")
        (self.folder / "bin").mkdir()
        for name, body in COMMANDS.items():
            command = self.folder / "bin" / name
            command.write_text(f"#!/bin/sh\n{body}\n")
            command.chmod(0o755)

    def run_it(self, *words: str) -> tuple[subprocess.CompletedProcess, str]:
        """The words that the package manager was given to install."""
        calls = self.folder / "calls"
        calls.unlink(missing_ok=True)
        environment = os.environ | {"PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}", "CALLS": str(calls)}
        result = subprocess.run(["bash", str(self.folder / "bootstrap"), *words], env=environment, text=True,
                                capture_output=True, stdin=subprocess.DEVNULL, timeout=60, check=False)
        lines = calls.read_text().splitlines() if calls.exists() else []
        return result, next((line for line in lines if line.startswith("install")), "")

    def test_what_tests_need_is_installed_for_them(self) -> None:
        result, installed = self.run_it("test", "--yes")
        self.assertNotEqual(result.returncode, 0)
        for name in ("g++", "libopenmpi-dev", "slurmctld", "munge", "shellcheck"):
            self.assertIn(f" {name}", installed)
        self.assertNotIn("mpich", installed)
        self.assertIn("mpich", self.run_it("test", "--full", "--yes")[1])

    def test_others_need_less(self) -> None:
        installed = self.run_it("build", "--yes")[1]
        self.assertIn(" libhdf5-dev", installed)
        self.assertNotIn("slurm", installed)

    def test_without_yes_the_command_is_told_and_nothing_is_installed(self) -> None:
        result, installed = self.run_it("test")
        self.assertEqual(installed, "")
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("slurmctld", result.stdout + result.stderr)


if __name__ == "__main__":
    unittest.main()
