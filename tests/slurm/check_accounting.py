# SPDX-FileCopyrightText: 2026 The slipway authors
# SPDX-License-Identifier: Apache-2.0
"""check_accounting.py SLIPWAY COUNTING: jobs that the scheduler has forgotten and its accounting knows. The tests' own
cluster keeps no accounts, so scripts in place of Slurm's commands say what those of a site would. COUNTING is
counting_program."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys

from checks import require, run_checks

FORGOTTEN = "#!/bin/sh\necho '{}: error: Invalid job id specified' >&2\nexit 1\n"
SBATCH = """#!/bin/sh
[ "$1" != --version ] || exec echo slurm 24.05
read -r last <"$ACCOUNTS/last"
echo $((last + 1)) | tee "$ACCOUNTS/last"
"""
# As sacct does: one line a job, "ID|STATE", or the states alone; nothing where it knows none.
SACCT = """#!/bin/sh
[ -z "$SACCT_FORMAT" ] && [ "$LC_ALL" = C ] || { echo "what the user has set came through"; exit 1; }
[ ! -e "$ACCOUNTS/off" ] || { echo "Slurm accounting storage is disabled" >&2; exit 1; }
while IFS= read -r line; do
  case " $* " in
    *" --format=State "*) echo "${line#*|}" ;;
    *" --format=JobID,State "*) echo "$line" ;;
  esac
done <"$ACCOUNTS/jobs"
"""


class Site:
    """The slipway command in a folder, at a site whose accounting says what `accounts` has told it."""

    def __init__(self, folder: pathlib.Path):
        self.folder = folder
        self.told = folder / "accounts"
        self.told.mkdir()
        (self.told / "last").write_text("16\n", encoding="utf-8")
        programs = folder / "bin"
        programs.mkdir()
        for name, text in (("sbatch", SBATCH), ("sacct", SACCT), *((name, FORGOTTEN.format(name)) for name in ("squeue",
                                                                                                            "scontrol"))):
            (programs / name).write_text(text, encoding="utf-8")
            (programs / name).chmod(0o755)
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("SLIPWAY_", "SBATCH_"))}
        self.environment = {**kept, "HOME": str(folder), "ACCOUNTS": str(self.told), "LC_ALL": "C.UTF-8",
                            "SACCT_FORMAT": "User%5", "PATH": f"{programs}:{os.environ['PATH']}"}

    def accounts(self, *lines: str) -> None:
        (self.told / "jobs").write_text("".join(line + "\n" for line in lines), encoding="utf-8")

    def run(self, *words, status: int | None = 0) -> str:
        done = subprocess.run([sys.argv[1], *map(str, words)], cwd=self.folder, env=self.environment, text=True,
                              capture_output=True, timeout=60, check=False)
        require(status in (None, done.returncode), f"{words} ended with {done.returncode}, not {status}:\n{done.stdout}"
                                                   f"{done.stderr}")
        return done.stdout

    def status(self, run: pathlib.Path, status: int) -> dict:
        return json.loads(self.run("status", "--json", run, status=status))

    def submitted(self, *options) -> pathlib.Path:
        words = ("--nodes", 1, "--ranks-per-node", 1, "--cores-per-rank", 1, "--time", "1h", *options, sys.argv[2])
        return pathlib.Path(json.loads(self.run("submit", "--json", *words))["run_directory"])


def check_one_job(site: Site) -> None:
    """A job whose program never wrote a word; then one whose program has lost a rank."""
    run = site.submitted()
    for state, verdict, status in (("COMPLETED", "failed", 3), ("FAILED", "failed", 3), ("TIMEOUT", "timed out", 124),
                                   ("CANCELLED by 1000", "cancelled", 75), ("OUT_OF_MEMORY", "out of memory", 3),
                                   ("NODE_FAIL", "node failed", 3), ("PREEMPTED", "preempted", 3),
                                   ("LAUNCHED_TO_MARS", "unknown", 3), ("PENDING", "waiting", 0), ("RUNNING", "running", 0)):
        site.accounts(f"17|{state}")
        seen = site.status(run, status)
        require((seen["verdict"], seen["scheduler"]["state"]) == (verdict, state), f"{state}: {seen}")
    site.accounts()
    require(site.status(run, 3)["scheduler"] is None, "accounting that does not know the job")
    (site.told / "off").touch()
    require(site.status(run, 3)["verdict"] == "unknown", "no accounting")
    require("does not know the job" in site.run("status", run, status=3), "no accounting, as text")
    (site.told / "off").unlink()

    subprocess.run([sys.argv[2], "--slipway-launcher=local", f"--slipway-run-directory={run}", "--steps", "1"], timeout=60,
                   env=site.environment, check=True, capture_output=True)
    site.accounts("17|FAILED")
    require(site.status(run, 0)["verdict"] == "good", "a run that has ended well")
    ended = json.loads((run / "status.json").read_text(encoding="utf-8"))
    ended["exit_status"] = 3
    (run / "status.json").write_text(json.dumps(ended), encoding="utf-8")
    for state, verdict in (("OUT_OF_MEMORY", "out of memory"), ("NODE_FAIL", "node failed"), ("COMPLETED", "failed")):
        site.accounts(f"17|{state}")
        require(site.status(run, 3)["verdict"] == verdict, f"a rank is lost, and the job is {state}")


def check_array(site: Site) -> None:
    """Lines of elements, and one for those that never began."""
    run = site.submitted("--array", "0-5")
    site.accounts("17_0|COMPLETED", "17_1|TIMEOUT", "17_2|OUT_OF_MEMORY", "17_[3-5%2]|CANCELLED by 1000")
    seen = site.status(run, 3)
    require([element["verdict"] for element in seen["elements"]] ==
            ["failed", "timed out", "out of memory", "cancelled", "cancelled", "cancelled"], f"{seen}")
    require(site.status(run / "1", 124)["scheduler"]["state"] == "TIMEOUT", "one element")


def check_parts(site: Site) -> None:
    """A heterogeneous job has a line a part."""
    run = site.submitted("--part", "nodes=1,ranks-per-node=1")
    site.accounts("17+0|COMPLETED", "17+1|TIMEOUT")
    require(site.status(run, 124)["verdict"] == "timed out", "the part that did not end well")
    site.accounts("17+0|NODE_FAIL", "17+1|CANCELLED")
    require(site.status(run, 3)["verdict"] == "node failed", "the part that failed first")


def check_study(site: Site) -> None:
    """Points that never began are told from those that can be submitted again."""
    site.run("sweep", "--nodes", "1,2,3", "--repeat", 1, "--ranks-per-node", 1, "--cores-per-rank", 1, "--time", "1h",
             "--as", "jobs", sys.argv[2])
    study = (site.folder / "studies" / "latest").resolve()
    listed = json.loads(site.run("status", "--json", study, status=None))["points"]
    by_job = {point["jobs"][0]: point["size"] for point in listed}
    require(sorted(by_job) == ["17", "18", "19"], f"{listed}")
    site.accounts("17|TIMEOUT", "18|CANCELLED by 1000", "19|NODE_FAIL")
    states = {point["jobs"][0]: (point["state"], point["why"])
              for point in json.loads(site.run("status", "--json", study, status=1))["points"]}
    require(states["17"] == ("failed", "its job ended as timed out before the program began"), f"{states}")
    require(states["18"][0] == "missing", f"{states}")
    require(states["19"] == ("failed", "its job ended as node failed before the program began"), f"{states}")


if __name__ == "__main__":
    sys.exit(run_checks(globals(), lambda check, folder: check(Site(folder))))
