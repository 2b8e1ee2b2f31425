# SPDX-FileCopyrightText: 2026 The slipway authors
# SPDX-License-Identifier: Apache-2.0
"""check_tool.py SLIPWAY PROGRAM COUNTING: what the slipway command says to people who err, and where values come from. No
Slurm. PROGRAM is none of slipway's, COUNTING is counting_program."""

from __future__ import annotations

import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import time

from checks import require, run_checks


class Tool:
    """Runs the command in a folder, without Slurm on the PATH."""

    def __init__(self, path: str, folder: pathlib.Path, counting: str):
        self.path = path
        self.counting = counting
        self.folder = folder
        programs = folder / "bin"
        programs.mkdir()
        for name in ("env", "sh", "bash"):
            (programs / name).symlink_to(f"/usr/bin/{name}")
        home = folder / "home"
        (home / ".config" / "slipway").mkdir(parents=True)
        self.configuration = home / ".config" / "slipway" / "config.json"
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("SLIPWAY_", "SBATCH_", "XDG_"))}
        self.environment = {**kept, "HOME": str(home), "PATH": str(programs)}

    def run(self, *words, status: int = 0, **variables) -> str:
        done = subprocess.run([self.path, *map(str, words)], cwd=self.folder, env={**self.environment, **variables},
                              text=True, capture_output=True, timeout=60, check=False)
        output = done.stdout + done.stderr
        require(done.returncode == status, f"{words} ended with {done.returncode}, not {status}:\n{output}")
        return output


SIZE = ("--nodes", 1, "--ranks-per-node", 1, "--cores-per-rank", 1)


def check_mistakes(tool: Tool, program: str) -> None:
    """Nothing is written for any of them."""
    script = ("script", *SIZE, "--time", "1h")
    for words, said in (
            (("submti",), "did you mean 'submit'"),
            (("submit", "--nodess", 3, program), "did you mean --nodes"),
            (("script",), "no program is given"),
            (("script", "--", "--x"), "did you mean"),
            (("script", *SIZE, "--time", "0", program), "0 would mean no limit"),
            (("script", *SIZE, "--time", "-5", program), "negative"),
            (("script", *SIZE, "--time", "1.5h", program), "write 90m"),
            ((*script, "--memory", "0", program), "0 would mean all of the node"),
            ((*script, "--memory", "1.0001G", program), "whole MiB"),
            (("script", "--nodes", "99999999999", program), "--nodes"),
            ((*script, "--export", "A", program), "NAME=VALUE"),
            ((*script, "--machine", "lumy", program), "did you mean 'lumi'"),
            ((*script, "--machine", "lumi", program), "no account is given"),
            (("script", "--nodes", 1, "--ranks-per-node", 1, "--cores-per-rank", 64, "--time", "1h", "--machine", "frontier",
              "--account", "a", program), "have 56 of 64 for jobs"),
            ((*script, "--node-type", "gpu", program), "has no nodes of type 'gpu'"),
            ((*script, "--part", "node=3", program), "did you mean 'nodes'"),
            ((*script, program, ":"), "bare ':'"),
            ((*script, "./no-such-program"), "there is no program ./no-such-program"),
            (("submit", *SIZE, "--time", "1h", program), "no sbatch on the PATH"),
            (("submit", *SIZE, "--time", "1h", "--array", "0-3", "--wait", program), "an array has many"),
            (("status", "nowhere"), "there is no run directory nowhere"),
            (("status", tool.folder), "is no run directory"),
            (("machines", "show", "lumy"), "did you mean 'lumi'")):
        output = tool.run(*words, status=2)
        require(said in output, f"{words} does not say '{said}':\n{output}")
    require(not (tool.folder / "runs").exists(), "a mistake left a run directory")


def check_origins(tool: Tool, program: str) -> None:
    """A flag beats the environment, that the file."""
    def origin_of(option: str, *words, **variables) -> str:
        output = tool.run("script", "--show-origin", *words, program, **variables)
        return re.search(rf"^{option} +(.*)$", output, re.MULTILINE)[1]
    require(origin_of("account") == "default", "no origin at all")
    tool.configuration.write_text(json.dumps({"account": "file", "wait": True, "export": ["A=1", "B=2"]}), encoding="utf-8")
    require(re.match(r"file +.*config.json", origin_of("account")) is not None, "the file")
    require(re.match(r"A=1 B=2 ", origin_of("export")) is not None, "a list in the file")
    variables = {"SLIPWAY_JOB_ACCOUNT": "variable"}
    require(origin_of("account", **variables).startswith("variable ") and "environment" in origin_of("account", **variables),
            "the environment beats the file")
    require(re.match(r"flag +flag", origin_of("account", "--account", "flag", **variables)) is not None, "a flag beats all")
    tool.configuration.write_text(json.dumps({"acount": "x"}), encoding="utf-8")
    require("did you mean 'account'" in tool.run("script", *SIZE, program, status=2), "a mistake in the file")
    tool.configuration.write_text("account = x", encoding="utf-8")
    require("is no JSON object" in tool.run("script", *SIZE, program, status=2), "a file that is no JSON")
    tool.configuration.unlink()


def check_machines(tool: Tool, program: str) -> None:
    """Profiles of a site count without touching code, and a machine is recognised by its environment."""
    require(len(tool.run("machines").splitlines()) >= 11, "shipped machines are missing")
    require(json.loads(tool.run("machines", "show", "lumi"))["launcher"] == "srun", "lumi")
    folder = tool.folder / ".slipway" / "machines"
    folder.mkdir(parents=True)
    site = {"inherits": "generic", "description": "ours", "detect": {"SITE": "ours"},
            "node_types": [{"name": "node", "cores": 16, "partition": "fast"}]}
    (folder / "ours.json").write_text(json.dumps(site), encoding="utf-8")
    script = tool.run("script", "--dry-run", *SIZE, "--time", "1h", "--", program, SITE="ours")
    require("on machine 'ours'" in script and "#SBATCH --partition=fast" in script, f"the site's profile:\n{script}")
    again = tool.run("script", "--dry-run", *SIZE, "--time", "1h", "--", program, SITE="ours")
    require(script == again, "the same words give another script")


def check_core_dumps(tool: Tool, _program: str) -> None:
    """The program gets the hard limit, and the user is told where cores go."""
    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    if hard != 0:
        output = tool.run("run", "--core-dumps", "sh", "-c", "ulimit -S -c")
        limit = "unlimited" if hard == resource.RLIM_INFINITY else str(hard // 512)
        words, said = output.splitlines()
        require(words == limit, f"the program's limit:\n{output}")
        require(re.match("slipway: core files (go to|are taken by) ", said) is not None, f"where cores go:\n{output}")
    refused = subprocess.run(["bash", "-c", 'ulimit -c 0; exec "$0" run --core-dumps true', tool.path], text=True,
                             capture_output=True, timeout=60, check=False)
    require(refused.returncode == 2 and "hard limit is 0" in refused.stderr, f"a hard limit of 0: {refused}")


def check_scale(tool: Tool, program: str) -> None:
    """A script for 10,000 nodes takes no time, whether or not the program is asked for its plan."""
    left_out = ",".join(f"nid{3 * number:06}" for number in range(5_000))
    times = {}
    for of in (program, tool.counting):
        words = ("script", "--dry-run", "--nodes", 10000, "--ranks-per-node", 8, "--cores-per-rank", 1, "--time", "1h",
                 "--exclude", left_out, of)
        for _ in range(3):
            began = time.monotonic()
            require(left_out in tool.run(*words), "hosts to leave out are missing")
            times.setdefault(of, []).append(time.monotonic() - began)
    limit = 2 * 0.5 * float(os.environ.get("SLIPWAY_TEST_TIME_FACTOR", "1"))  # other tests run beside this one
    require(all(min(some) < limit for some in times.values()), f"a script for 10,000 nodes takes long: {times}")


def check_placement(tool: Tool, program: str) -> None:
    """A graph without a place on the nodes that were fixed is refused before anything is written."""
    def script(*words, nodes: int = 2, ranks: int = 2, status: int = 0) -> str:
        return tool.run("script", "--nodes", nodes, "--ranks-per-node", ranks, "--cores-per-rank", 1, "--time", "1h", *words,
                        status=status)

    def refused(said: str, *words, **numbers) -> None:
        output = script(*words, status=2, **numbers)
        require("has no place on the nodes of this job; nothing was written or submitted" in output and said in output,
                f"{words} does not say '{said}':\n{output}")
        require(not (tool.folder / "runs").exists(), f"{words} left a run directory")

    counting = tool.counting
    refused("2 gpus on one rank (the best rank has 0)", counting, "--gpus", 2)
    refused("2 gpus on one rank (the best rank has 1)", "--gpus-per-node", 1, counting, "--gpus", 2)
    refused("'counter'", counting, "--alone", 1, nodes=1, ranks=1)
    refused("hosts 'gpu*' (no host with a rank matches; there are: node1, node2)", "--nodelist", "node[1-2]", counting,
            "--on-hosts", "gpu*")
    refused("2 gpus on one rank", "--part", "nodes=1,ranks-per-node=1,gpus-per-node=1", counting, "--gpus", 2)
    in_plan = tool.run("script", "--nodes", 2, "--cores-per-rank", 1, "--time", "1h", "--gpus-per-node", 1, counting, "--gpus",
                       2, status=2)
    require("has no place on the nodes of this job" in in_plan, f"with numbers from the plan: {in_plan}")

    script("--gpus-per-node", 4, counting, "--gpus", 2, "--company", 2)
    script("--part", "nodes=1,ranks-per-node=1,gpus-per-node=4", counting, "--gpus", 2, "--company", 2)
    script("--directive=--gres=gpu:4", counting, "--gpus", 2, "--company", 2)
    script(counting, "--alone", 1)
    script("--nodelist", "gpu[1-2]", counting, "--on-hosts", "gpu*")
    script("--nodelist", "gpu[1-3]", counting, "--on-hosts", "node*")  # Slurm chooses, and we do not know which
    script(counting, "--on-hosts", "gpu*")
    script(program, "--gpus", 2)
    told = script(counting, "--no-such-flag", 2)
    require("warning: nobody knows whether the graph" in told and "ended with status 2: counting_program:" in told, told)

    for hosts in ("2x4@a", "1x4+2x3", "2x4:0", "0x4", "2", "2x4x1x1", "2x4:1:1", "2x4x-1", "2x4@", "2000000x1"):
        done = subprocess.run([counting, f"--slipway-plan-on={hosts}"], text=True, capture_output=True, timeout=60, check=False)
        require(done.returncode == 2 and "write for example 4x56" in done.stderr, f"'{hosts}': {done}")

    mark = tool.folder / "ran"
    wrapper = tool.folder / "wrapper.sh"
    wrapper.write_text(f"#!/bin/sh\n# slipway program: knows --slipway-plan-on, form 1\necho ran >{mark}\n", encoding="utf-8")
    wrapper.chmod(0o755)
    require("warning" not in script(wrapper, "--gpus", 2), "a script was asked for its plan")
    require(not mark.exists(), "a program that is none of slipway's was run")


if __name__ == "__main__":
    sys.exit(run_checks(globals(), lambda check, folder: check(Tool(sys.argv[1], folder, sys.argv[3]), sys.argv[2])))
