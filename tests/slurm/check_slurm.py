# SPDX-FileCopyrightText: 2026 The slipway authors
# SPDX-License-Identifier: Apache-2.0
"""check_slurm.py --build DIRECTORY --source DIRECTORY NAME: one of the checks below, beside a cluster (see cluster.py)."""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import time

from check_studies import check_studies  # noqa: F401  (one of the checks)
from checks import Failure, require
from cluster import call, crash_node, hasten, job_field, restart_node, submit, wait_for_job, wait_idle, wait_until
from slurm_tool import Tool, decoded_lines


def check_arguments(tool: Tool) -> None:
    """Whatever characters they have, values reach the program unchanged."""
    words = ["plain", "two words", "", "it's", 'say "hi"', "$HOME", "`id`", "$(id)", "100%", "%j", "a\\b", "a\nb", "a\tb",
             "caf\u00e9 \u4e16", "#no comment", "*", "~", "!x", "a;b", "a|b>c", "-x", "--flag=a b", "{1..3}", "\\n", "'"]
    title = "it's $HOME, \"quoted\" & 100% #1\nsecond line \u00e9"
    job, run = tool.submit("--nodes", 1, "--ranks-per-node", 1, "--cores-per-rank", 1, "--time", "2m", 
                           "--launch-option=--mpi=none", "--comment", "a \"comment\" with # and 'quotes'", "--export", f"TITLE={title}",
                           tool.programs / "show_arguments", *words)
    require(wait_for_job(job) == ("COMPLETED", "0:0"), f"job {job} did not end well:\n{tool.run('logs', '--job', run).stdout}")
    decoded = decoded_lines(tool.run("logs", "--job", run).stdout)
    arguments = [line[len("argument "):] for line in decoded if line.startswith("argument ")]
    require(arguments == words, f"the arguments changed: {arguments}")
    require(f"title {title}" in decoded, f"the variable changed: {decoded}")


def random_host_list(source: random.Random) -> str:
    parts = []
    for _ in range(source.randint(1, 4)):
        text = source.choice(["n", "nid00", "rack", "gpu-a", "x9y"])
        for _ in range(source.choice([0, 1, 1, 1, 2])):
            ranges = []
            for _ in range(source.randint(1, 3)):
                low = source.randint(0, 120)
                width = source.choice([0, 0, 2, 4])
                high = low + source.randint(0, 6)
                ranges.append(f"{low:0{width}}" if low == high else f"{low:0{width}}-{high:0{width}}")
            text += f"[{','.join(ranges)}]"
            if source.random() < 0.3:  # a name after a bracket needs another bracket: Slurm 22.05 knows no suffixes
                text += f"i[{source.randint(0, 9)}-{source.randint(10, 12)}]"
        parts.append(text + str(source.randint(1, 99)) if "[" not in text else text)
    return ",".join(parts)


def check_host_lists(tool: Tool) -> None:
    """Short and long forms agree with Slurm's own."""
    source = random.Random(1)
    lists = [random_host_list(source) for _ in range(10_000)]
    expanded = subprocess.run([tool.programs / "expand_hosts"], input="\n".join(lists) + "\n", text=True,
                              capture_output=True, check=True).stdout.splitlines()
    require(len(expanded) == len(lists), "a list is missing")
    batch = 10  # lists a call of scontrol: an argument has at most 128 KiB
    for start in range(0, len(lists), batch):
        pairs = [line.split("\t") for line in expanded[start:start + batch]]
        ours = ",".join(names for names, _ in pairs).split(",")
        for form in (",".join(lists[start:start + batch]), ",".join(short for _, short in pairs)):
            theirs = call("scontrol", "show", "hostnames", form).split()
            if theirs != ours:
                where = next((i for i, (a, b) in enumerate(zip(ours, theirs)) if a != b), min(len(ours), len(theirs)))
                raise Failure(f"lists {start} and on: name {where} is {ours[where:where + 3]}, not "
                              f"{theirs[where:where + 3]}; {form[:400]}")


def check_scripts(tool: Tool) -> None:
    """A real sbatch takes every golden script. What only its own machine has is left out: names of accounts and queues."""
    names = re.compile(r"^#SBATCH --(partition|qos|account|constraint|reservation|licenses|network|nodelist|exclude|"
                       r"mem|dependency|kill-on-invalid-dep|switches|deadline)\b.*\n", re.MULTILINE)
    scripts = sorted((tool.source / "tests" / "slurm" / "golden").glob("*.sbatch"))
    require(len(scripts) > 10, "golden scripts are missing")
    for script in scripts:
        text = names.sub("", script.read_text(encoding="utf-8"))
        text = re.sub(r"#SBATCH --(chdir|output)=.*", rf"#SBATCH --\1={os.getcwd()}", text)
        local = pathlib.Path(script.name)
        local.write_text(text, encoding="utf-8")
        done = subprocess.run(["sbatch", "--test-only", local], text=True, capture_output=True, check=False)
        require(done.returncode == 0, f"sbatch refuses {script.name}: {done.stderr}")
    by_hand("producer_consumer", tool)


def by_hand(example: str, tool: Tool) -> None:
    """As the README of jobscripts says, without slipway's tools."""
    pathlib.Path(example).symlink_to(tool.examples / example)
    job = submit(tool.source / "jobscripts" / "generic" / f"{example}.sbatch")
    log = pathlib.Path(f"{example}-{job}.out")
    require(wait_for_job(job) == ("COMPLETED", "0:0"), f"{example} by hand: {log.read_text(encoding='utf-8')}")
    require(pathlib.Path("runs", f"{example}-{job}", "status.json").exists(), "it left no status")


def example_jobs(tool: Tool) -> dict[str, list]:
    examples = tool.examples
    return {
        "producer_consumer": [examples / "producer_consumer"],
        "parameter_server": [examples / "parameter_server", "--updates", 50, "--data", tool.source / "examples/data/digits.h5"],
        "map_reduce": [examples / "map_reduce"],
        "evolution_strategies": [examples / "evolution_strategies", "--generations", 2],
    }


def add_site_profile() -> None:
    """The cluster as a site would describe it."""
    folder = pathlib.Path(".slipway") / "machines"
    folder.mkdir(parents=True, exist_ok=True)
    profile = {"inherits": "generic", "description": "the cluster of the tests", "cpu_bind": "",
               "node_types": [{"name": "node", "cores": 4, "gpus": 4, "memory_mib": 2000}]}
    (folder / "testbed.json").write_text(json.dumps(profile), encoding="utf-8")


def check_examples(tool: Tool) -> None:
    """Each example from script to result, on 1, 2 and 4 nodes, by srun and by mpirun."""
    add_site_profile()
    for launcher, nodes in (("srun", 1), ("mpirun", 2), ("srun", 4)):
        for name, words in example_jobs(tool).items():
            began = time.monotonic()
            done = tool.run("submit", "--wait", "--machine", "testbed", "--nodes", nodes, "--time", "5m", "--launcher",
                            launcher, *words, status=None)
            found = re.search(r"^/.*$", done.stdout, re.MULTILINE)
            require(found is not None, f"{name} was not submitted: {done.stderr}")
            run = pathlib.Path(found[0])
            require(done.returncode == 0, f"{name} by {launcher} on {nodes} nodes ended with {done.returncode}\n{done.stdout}"
                                          f"{done.stderr}\n{tool.run('status', run, status=None).stdout}")
            view = tool.status(run)
            require(view["verdict"] == "good" and view["status"]["exit_status"] == 0, f"{name}: {view}")
            hosts = {line.split()[1] for line in tool.run("logs", run).stdout.splitlines()}
            print(f"ok {name} by {launcher} on {nodes} nodes: {view['status']['ranks']} ranks, hosts {sorted(hosts)}, "
                  f"{time.monotonic() - began:.1f} s", flush=True)


def counting(tool: Tool, *words, nodes: int = 2, options: tuple = ()) -> tuple[str, pathlib.Path]:
    return tool.submit("--nodes", nodes, "--ranks-per-node", 2, "--cores-per-rank", 1, "--time", "10m", *options,
                       tool.programs / "counting_program", *words)


def check_ends(tool: Tool) -> None:
    """However a run ends, status says so and has the right exit status."""
    job, run = counting(tool, "--steps", 3)
    require(wait_for_job(job) == ("COMPLETED", "0:0"), f"a good run: {tool.status(run)}")
    require(tool.run("status", run, status=0).stdout.find("good") > 0, "no verdict")

    job, run = counting(tool, "--steps", 50, "--fail-at", 3)
    require(wait_for_job(job)[1] == "1:0", f"a failing run: {tool.status(run)}")
    shown = tool.run("status", run, status=1).stdout
    require("failed at 3, as asked" in shown and "counter" in shown, f"the failure is not told: {shown}")
    first = tool.run("logs", "--first-error", run).stdout
    require(len(first.splitlines()) == 1 and "failed at 3" in first, f"logs --first-error: {first}")

    job, run = counting(tool, "--steps", 1000)
    tool.wait_for_state(run, "running")
    tool.run("cancel", run, limit=120)
    wait_for_job(job)
    view = tool.status(run)
    require(view["status"]["stop_reason"].endswith("slipway cancel"), f"cancelled while running: {view}")

    job, run = counting(tool, "--steps", 3, options=("--hold",))
    require(tool.status(run)["verdict"] == "waiting", f"held: {tool.status(run)}")
    tool.run("cancel", run)
    require(wait_for_job(job)[0] == "CANCELLED", "a held job was not cancelled")
    require(tool.status(run)["verdict"] == "cancelled", f"cancelled while waiting: {tool.status(run)}")

    words = ("--ranks-per-node", 1, "--cores-per-rank", 1, "--time", "1h", tool.programs / "counting_program")
    runs = sorted(pathlib.Path("runs").iterdir())
    tool.run("submit", "--check", "--nodes", 4, *words)
    tool.run("submit", "--check", "--nodes", 400, *words, status=2)
    refused = tool.run("submit", "--nodes", 4, "--partition", "nowhere", *words, status=2)
    require("was not submitted" in refused.stderr and "nowhere" not in call("squeue", "-h", "-o", "%P"),
            f"a partition that is none: {refused.stderr}")
    refused = tool.run("submit", "--nodes", 4, *words, "--gpus", 1, status=2)
    require("has no place on the nodes of this job" in refused.stderr, f"a graph without a place: {refused.stderr}")
    require(len(sorted(pathlib.Path("runs").iterdir())) <= len(runs) + 1, "a check leaves something behind")


def check_cancelled(tool: Tool) -> None:
    """scancel while nodes are made, while they work, while they stop, and twice: one outcome."""
    for phase, times, words, verdict, status in (
            ("starting", 1, ("--steps", 1000, "--slow-start", 3000), "cancelled", 75),
            ("running", 1, ("--steps", 1000), "cancelled", 75),
            ("running", 2, ("--steps", 1000, "--slow-end", 2000), "cancelled", 75),
            ("stopping", 1, ("--steps", 3, "--slow-end", 3000), "good", 0)):  # the work is done
        job, run = counting(tool, *words)
        tool.wait_for_state(run, phase)
        for _ in range(times):
            call("scancel", job)
            time.sleep(0.5)
        state, _ = wait_for_job(job, 60)
        view = tool.status(run)
        told = f"scancel while {phase}: {state}, {view}\n{tool.run('logs', '--job', run).stdout}"
        require(state == "CANCELLED" and view["verdict"] == verdict, told)
        require(view["status"]["state"] == "ended", told)
        tool.run("status", run, status=status)


def check_gpus(tool: Tool) -> None:
    """Ranks of a node share its GPUs by the list that Slurm leaves, and two jobs at once do not disturb each other."""
    jobs = [counting(tool, "--steps", 20, options=("--gpus-per-node", gpus)) for gpus in (4, 2)]
    for (job, run), expected in zip(jobs, ({"0,1", "2,3"}, {"0", "1"})):
        require(wait_for_job(job) == ("COMPLETED", "0:0"), f"job {job}: {tool.run('logs', '--job', run).stdout}")
        lines = re.findall(r" (\S+) \d+ - info GPUs: (\S+)", tool.run("logs", run).stdout)
        require(len(lines) == 4, f"ranks that name their GPUs: {lines}")
        for host in {host for host, _ in lines}:
            require({gpus for of, gpus in lines if of == host} == expected, f"GPUs on {host}: {lines}")


def check_node_failure(tool: Tool) -> None:
    """A node that dies ends the run with status 3 and its name; on request the job goes on without it."""
    job, run = counting(tool, "--steps", 3000)
    tool.wait_for_state(run, "running")
    crash_node(2)
    state, _ = wait_for_job(job, 120)
    shown = tool.run("status", run, status=3).stdout
    require("node2" in shown and "lost" in shown, f"{state}: {shown}\n{tool.run('logs', '--job', run).stdout}")
    restart_node(2)
    wait_idle(2)

    job, run = counting(tool, "--steps", 200, options=("--requeue-on-node-failure",))
    tool.wait_for_state(run, "running")
    crash_node(2)
    wait_until(lambda: job_field(job, "Restarts") == "1", lambda: f"the restart; {tool.run('logs', '--job', run).stdout}",
               240)  # Slurm restarts it by itself, or the script asks for it and it waits for its time
    state, code = wait_for_job(job, 180)
    require((state, code) == ("COMPLETED", "0:0"), f"{state} {code}: {tool.run('logs', '--job', run).stdout}")
    view = tool.status(run)
    require(view["status"]["attempt"] == 2 and "node2" not in call("scontrol", "show", "hostnames", view["scheduler"]["nodes"]),
            f"attempt 2: {view}")


def check_resume(tool: Tool) -> None:
    """A run that was told to stop goes on by hand: requeue while it runs, resume when it has ended."""
    job, run = counting(tool, "--steps", 100)
    tool.wait_for_state(run, "running")
    tool.run("resume", run, status=2)
    time.sleep(1)
    again = tool.run("requeue", run, limit=120).stdout
    second = re.search(r"^job (\d+)$", again, re.MULTILINE)
    require(second is not None and second[1] != job, f"requeue: {again}")
    tool.wait_for_state(run, "running")
    tool.run("cancel", run)
    wait_for_job(second[1])
    third = re.search(r"^job (\d+)$", tool.run("resume", run).stdout, re.MULTILINE)
    require(third is not None and wait_for_job(third[1]) == ("COMPLETED", "0:0"), "the resumed run did not end well")
    log = tool.run("logs", run).stdout
    require(re.search(r"attempt 3 begins at [1-9]", log) is not None, f"attempt 3 began anew:\n{log}")


def check_shapes(tool: Tool) -> None:
    """A heterogeneous job is one world; a chain goes on until the run is done."""
    add_site_profile()
    job, run = tool.submit("--machine", "testbed", "--nodes", 1, "--ranks-per-node", 1, "--cores-per-rank", 2, "--time",
                           "5m", "--part", "nodes=2,ranks-per-node=2,cores-per-rank=1", tool.programs / "counting_program",
                           "--steps", 5)
    require(wait_for_job(job) == ("COMPLETED", "0:0"), f"heterogeneous: {tool.run('logs', '--job', run).stdout}")
    require(tool.status(run)["status"]["ranks"] == 5, f"heterogeneous: {tool.status(run)}")

    last, run = counting(tool, "--steps", 20, options=("--chain", 3))
    require(wait_for_job(last) == ("COMPLETED", "0:0"), f"chain: {tool.status(run)}")
    log = tool.run("logs", "--job", run).stdout
    require(log.count("nothing is left to do") == 2 and tool.status(run)["status"]["attempt"] == 1, f"chain: {log}")


AWKWARD = ["two words", "", "it's", 'say "hi"', "$HOME", "%t %o", "100%", "a\\b", "a\nb", "*", "-x"]


def check_one_allocation(tool: Tool) -> None:
    """Parts in a plain allocation: each rank is on its node and runs its part's program, with arguments as they are."""
    other = pathlib.Path("another program").absolute()
    other.symlink_to(tool.programs / "show_arguments")
    part = ("--one-allocation", "--part", f"nodes=2,ranks-per-node=3,cores-per-rank=1,program={other}")
    size = ("--nodes", 1, "--ranks-per-node", 1, "--cores-per-rank", 4, "--time", "5m")
    job, run = tool.submit(*size, *part, "--launch-option=--mpi=none", "--launch-option=--label", tool.programs / "show_arguments",
                           *AWKWARD)
    require(wait_for_job(job) == ("COMPLETED", "0:0"), f"job {job}: {tool.run('logs', '--job', run).stdout}")
    shown = decoded_lines(tool.run("logs", "--job", run).stdout)
    for rank in range(7):
        mine = [line.partition(": ")[2] for line in shown if line.startswith(f"{rank}: ")]
        arguments = [line[len("argument "):] for line in mine if line.startswith("argument ")]
        require(arguments == AWKWARD, f"the arguments of rank {rank} changed: {mine}")
        name = "show_arguments" if rank == 0 else "another program"
        require(f"program {name}" in mine, f"rank {rank} is not {name}: {mine}")

    # The same of a slipway program: one world, its ranks where the plan has them.
    twin = pathlib.Path("counting_twin").absolute()
    twin.symlink_to(tool.programs / "counting_program")
    part = ("--one-allocation", "--part", f"nodes=2,ranks-per-node=2,cores-per-rank=1,program={twin}")
    job, run = tool.submit(*size, *part, "--gpus-per-node", 4, tool.programs / "counting_program", "--steps", 5)
    require(wait_for_job(job) == ("COMPLETED", "0:0"), f"job {job}: {tool.run('logs', '--job', run).stdout}")
    require(tool.status(run)["status"]["ranks"] == 5, f"ranks: {tool.status(run)}")
    ranks = json.loads((run / "placement.json").read_text(encoding="utf-8"))["ranks"]
    hosts = [rank["host"] for rank in ranks]
    require(hosts == ["node1", "node2", "node2", "node3", "node3"], f"hosts of the ranks: {hosts}")
    require([rank["gpus"] for rank in ranks] == [4, 0, 0, 0, 0], f"GPUs of the ranks: {ranks}")


def elements_of(tool: Tool, run: pathlib.Path) -> dict[int, dict]:
    return {element["index"]: element for element in tool.status(run)["elements"]}


def check_arrays(tool: Tool) -> None:
    """Each element of an array is a run of its own; status, cancel and logs know them all."""
    job, run = counting(tool, "--steps", 3, nodes=1, options=("--array", "0-3%2"))
    wait_until(lambda: not call("squeue", "-h", "-j", job), "the end of the array", 120)
    shown = tool.run("status", run, status=0).stdout
    require(re.findall(r"^element (\d) +good$", shown, re.MULTILINE) == list("0123"), f"status of the array: {shown}")
    view = tool.status(run)
    require(view["verdict"] == "good" and view["exit_status"] == 0 and view["jobs"] == [job], f"the array: {view}")
    for index, element in elements_of(tool, run).items():
        require(element["verdict"] == "good" and element["exit_status"] == 0, f"element {index}: {element}")
        require(element["status"]["progress"]["progress_number"] == 3, f"element {index}: {element}")
        require(element["scheduler"]["state"] == "COMPLETED", f"element {index}: {element}")
    refused = tool.run("logs", run, status=2).stderr
    require("of its own: 0-3)" in refused and f"{run}/0" in refused, f"logs of the array: {refused}")
    require("counted to 3" in tool.run("logs", run / "2").stdout, "logs of an element")
    require(tool.run("logs", "--job", run).stdout.count("ended with status 0") == 4, "log of the job of an array")

    # One element fails, the others do not: the worst counts.
    script = pathlib.Path("some-fail.sh")
    script.write_text(f'#!/bin/bash\n[ "$SLURM_ARRAY_TASK_ID" != 5 ] || set -- --fail-at 2\n'
                      f'exec {tool.programs / "counting_program"} --steps 3 "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    job, run = tool.submit("--nodes", 1, "--ranks-per-node", 1, "--cores-per-rank", 1, "--time", "5m", "--array", "4-6",
                           script.absolute())
    wait_until(lambda: not call("squeue", "-h", "-j", job), "the end of the array", 120)
    tool.run("status", run, status=1)
    verdicts = {index: element["verdict"] for index, element in elements_of(tool, run).items()}
    require(verdicts == {4: "good", 5: "failed", 6: "good"} and tool.status(run)["verdict"] == "failed", f"{verdicts}")

    # Two elements run, two wait; those that run stop well.
    job, run = counting(tool, "--steps", 1000, nodes=1, options=("--array", "0-3%2"))
    wait_until(lambda: [element["status"] and element["status"]["state"] for element in elements_of(tool, run).values()]
               == ["running", "running", None, None], lambda: f"two elements run: {tool.status(run)}", 60)
    view = tool.status(run)
    verdicts = [element["verdict"] for element in view["elements"]]
    require(verdicts == ["running", "running", "waiting", "waiting"] and view["verdict"] == "running", f"{verdicts}")
    tool.run("status", run, status=0)
    told = tool.run("cancel", run, limit=120).stdout
    require("2 of 2 running elements have stopped in order" in told, f"cancel: {told}")
    wait_until(lambda: not call("squeue", "-h", "-j", job), "the end of the array", 60)
    elements = elements_of(tool, run)
    for index in (0, 1):
        require(elements[index]["status"]["stop_reason"].endswith("slipway cancel"), f"element {index}: {elements[index]}")
    for index, element in elements.items():
        require(element["verdict"] == "cancelled" and element["exit_status"] == 75, f"element {index}: {element}")
        require((element["status"] is None) == (index > 1), f"element {index}: {element}")
    tool.run("status", run, status=75)
    require("over already" in tool.run("cancel", run).stdout, "an array is cancelled twice")


def check_elements(tool: Tool) -> None:
    """One element of an array is cancelled, whether it runs or waits, and submitted again, and the others do not mind."""
    job, run = counting(tool, "--steps", 40, nodes=1, options=("--array", "0-3%2"))
    wait_until(lambda: [element["status"] and element["status"]["state"] for element in elements_of(tool, run).values()]
               == ["running", "running", None, None], lambda: f"two elements run: {tool.status(run)}", 60)
    require(tool.status(run / "1")["scheduler"]["state"] == "RUNNING", f"one that runs: {tool.status(run / '1')}")
    require(tool.status(run / "3")["verdict"] == "waiting", f"one that waits: {tool.status(run / '3')}")
    require(tool.run("logs", run / "3").stdout == "", "logs of one that waits")
    require(f"job {job}_3 cancelled" in tool.run("cancel", run / "3").stdout, "one that waits is not cancelled")
    tool.run("status", run / "3", status=75)
    require("over already: cancelled" in tool.run("cancel", f"{run / '3'}/").stdout, "one that waited is cancelled twice")
    require("no run directory" in tool.run("cancel", run / "03", status=2).stderr, "an index is a number, written as such")
    tool.run("cancel", run / "1", limit=120)
    refused = tool.run("resume", run / "0", status=2).stderr
    require("running still" in refused, f"one that runs is submitted again: {refused}")
    wait_until(lambda: not call("squeue", "-h", "-j", job), "the end of the array", 120)
    verdicts = [element["verdict"] for element in elements_of(tool, run).values()]
    require(verdicts == ["good", "cancelled", "good", "cancelled"], f"{verdicts}")

    for index in (1, 3):
        told = tool.run("resume", "--wait", run / str(index)).stdout
        again = re.match(rf"job (\d+)_{index}$", told, re.MULTILINE)
        require(again is not None and again[1] != job, f"element {index} submitted again: {told}")
    elements = elements_of(tool, run)
    require([element["verdict"] for element in elements.values()] == ["good"] * 4, f"{elements}")
    require([element["status"]["attempt"] for element in elements.values()] == [1, 2, 1, 1], f"{elements}")
    tool.run("status", run, status=0)
    log = tool.run("logs", "--job", run / "1").stdout
    require(log.count("ended with status") == 2, f"log of the jobs of one element: {log}")
    tool.run("resume", run)
    require(not (run / "1" / "job.json").exists(), "an element of the new array has the job of its own still")
    refused = tool.run("resume", run, status=2).stderr
    require(re.search("(waiting|running) still", refused) is not None, f"the array is resumed twice: {refused}")
    refused = tool.run("requeue", run, status=2).stderr
    require("is an array" in refused and f"{run}/0" in refused, f"an array is requeued: {refused}")
    tool.run("cancel", run, limit=120)


def process_of_rank(rank: int) -> int:
    """Of the only running job."""
    for entry in pathlib.Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0") if entry.name.isdigit() else []
            if words and words[0].endswith(b"/counting_program"):
                if f"SLURM_PROCID={rank}".encode() in (entry / "environ").read_bytes().split(b"\0"):
                    return int(entry.name)
        except OSError:
            continue
    raise Failure(f"rank {rank} is not there")


def check_killed(tool: Tool) -> None:
    """A rank that is killed is a lost rank, one that crashes a failed node, whatever code the launcher has for it."""
    for rank in (0, 3):
        job, run = counting(tool, "--steps", 1000)
        tool.wait_for_state(run, "running")
        time.sleep(0.5)
        os.kill(process_of_rank(rank), signal.SIGKILL)
        expect_end(tool, job, run, 3)
    expect_end(tool, *counting(tool, "--steps", 1000, "--crash-at", 5), 1)


def expect_end(tool: Tool, job: str, run: pathlib.Path, status: int) -> None:
    state = wait_for_job(job, 60)
    require(state == ("FAILED", f"{status}:0"), f"{state}, not {status}\n{tool.run('logs', '--job', run).stdout}")
    tool.run("status", run, status=status)


def check_requeue(tool: Tool) -> None:
    """Time limit, notice, requeue: the second attempt goes on where the first was, and ends well."""
    job, run = tool.submit("--nodes", 2, "--ranks-per-node", 2, "--cores-per-rank", 1, "--time", "1m", "--notice-margin",
                           "40s", "--restarts", 3, tool.programs / "counting_program", "--steps", 300, "--pause", 100)
    wait_until(lambda: job_field(job, "Reason") == "BeginTime" or job_field(job, "Restarts") == "1", "the requeue", 120)
    saved = json.loads((run / "state" / "1" / "manifest.json").read_text(encoding="utf-8"))
    require([part["node"] for part in saved["parts"]] == ["counter"], f"what was saved: {saved}")
    hasten(job)
    state, code = wait_for_job(job, 180)
    log = tool.run("logs", run).stdout
    require((state, code) == ("COMPLETED", "0:0"), f"{state} {code}\n{tool.run('logs', '--job', run).stdout}\n{log}")
    view = tool.status(run)
    require(view["status"]["attempt"] == 2 and view["status"]["progress"]["progress_number"] == 300, f"{view}")
    require(re.search(r"attempt 2 begins at [1-9]", log) is not None, f"attempt 2 began anew:\n{log}")


CHECKS = {name[len("check_"):]: check for name, check in list(globals().items()) if name.startswith("check_")}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("name", choices=sorted(CHECKS))
    arguments = parser.parse_args()
    try:
        CHECKS[arguments.name](Tool(arguments.build, arguments.source))
    except Failure as failure:
        print(f"FAILED {arguments.name}: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
