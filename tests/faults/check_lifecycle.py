# SPDX-FileCopyrightText: 2026 The slipway authors
# SPDX-License-Identifier: Apache-2.0
"""check_lifecycle.py CHECK --good PROGRAM --bad PROGRAM [--mpirun "WORDS..."] [--mpirun-kills-all] [--cycles N]: how
programs start, stop and are refused, as processes. --good is the example producer_consumer, --bad is fault_program. The
checks are the functions below.
"""

import argparse
import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time

import processes
from processes import Failure, Outcome, Program, require, run, wait_until

RUN_FILES = ["graph.json", "placement.json", "options.json", "versions.json", "status.json", "report.json"]
LOCAL = "--slipway-launcher=local"
LOG_LINE = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z \S+ (\d+) (\S+) (debug|info|warning|error) ")


class Programs:
    def __init__(self, options: argparse.Namespace):
        self.good, self.bad = os.path.abspath(options.good), os.path.abspath(options.bad)
        self.cycles = options.cycles
        self.mpirun = options.mpirun.split()
        self.mpirun_kills_all = options.mpirun_kills_all

    def bad_in_each_way(self, *words: str) -> dict[str, list[str]]:
        command = [self.bad, *words]
        ways = {"local": [*command, "--slipway-ranks=3", LOCAL]}
        if self.mpirun:
            ways["alone"] = [*command, "--slipway-ranks=3"]
            ways["mpirun"] = [*self.mpirun, "3", *command]
        return ways


def require_status(outcome: Outcome, *statuses: int) -> None:
    require(outcome.status in statuses, f"the status is {outcome.status}, not {' or '.join(map(str, statuses))}")


def require_text(pattern: str, text: str) -> re.Match:
    found = re.search(pattern, text)
    require(found is not None, f"nothing matches {pattern!r}")
    return found


def check_each(ways: dict[str, list[str]], look, environment: dict[str, str] | None = None) -> None:
    for way, command in ways.items():
        try:
            run(command, environment, look)
        except Failure as failure:
            raise Failure(f"{way}: {failure}") from None


def require_whole_directory(outcome: Outcome, ranks: int) -> None:
    """Contract 17: the run directory tells everything."""
    files = {name: json.loads((outcome.run / name).read_text(encoding="utf-8")) for name in RUN_FILES}
    labels = {node["label"] for node in files["graph.json"]["nodes"]}
    require(labels == {"consumer", "producer/0", "producer/1", "producer/2"}, f"graph.json has the nodes {labels}")
    require(set(re.findall(r"producer/\d|consumer", json.dumps(files["placement.json"]))) == labels,
            "placement.json does not place every node")
    require(files["options.json"]["run-directory"]["value"] == str(outcome.run), "options.json has another directory")
    require("slipway" in files["versions.json"], "versions.json does not have slipway's version")
    status = files["status.json"]
    ending = (status["state"], status["exit_status"], status["ranks"])
    require(ending == ("ended", 0, ranks), f"status.json has the ending {ending}")
    require(status["started"] <= status["heartbeat"] <= status["ended"] + 1e9, f"the times are {status}")
    logs = sorted((outcome.run / "logs").iterdir())
    require([log.name for log in logs] == [f"rank-{rank:05}.log" for rank in range(ranks)], f"the logs are {logs}")
    lines = [(rank, line) for rank, log in enumerate(logs) for line in log.read_text(encoding="utf-8").splitlines()]
    for rank, line in lines:
        found = LOG_LINE.match(line)
        require(found is not None and int(found[1]) == rank, f"rank {rank} has the log line {line!r}")
    require(any(" consumer info the sum of " in line for _, line in lines), "no log has the consumer's line")


def contract17_rank_counts(programs: Programs) -> None:
    """Each number of ranks runs, and leaves a whole run directory."""
    for ranks in range(1, 6):
        def look(outcome: Outcome, ranks=ranks) -> None:
            require_status(outcome, 0)
            require_whole_directory(outcome, ranks)
        run([*programs.mpirun, str(ranks), programs.good], look=look)


def contract17_alone(programs: Programs) -> None:
    """./program alone, by mpirun and in one process."""
    def look(outcome: Outcome) -> None:
        require_status(outcome, 0)
        require_whole_directory(outcome, 2)
        require(str(outcome.run) in outcome.stderr, "the run directory is not printed")
    if programs.mpirun:
        run([programs.good, "--slipway-ranks=2"], look=look)
    run([programs.good, "--slipway-ranks=2", LOCAL], look=look)


def contract17_heartbeat(programs: Programs) -> None:
    """status.json of a run under way is alive."""
    for command in programs.bad_in_each_way("--place", "run", "--slipway-heartbeat=100ms").values():
        with tempfile.TemporaryDirectory() as directory, Program(command, directory) as program:
            first = program.wait_running()
            require(first["exit_status"] is None and first["ended"] == 0, f"it has ended already: {first}")
            wait_until(lambda: program.status_so_far().get("heartbeat", 0) > first["heartbeat"], "the heart beats")
            program.signal(signal.SIGTERM)
            program.finish()


def contract8_one_signal(programs: Programs) -> None:
    """Ctrl-C and SIGTERM stop a run as stop() does: status 0."""
    for number in (signal.SIGINT, signal.SIGTERM):
        for way, command in programs.bad_in_each_way("--place", "run").items():
            if way == "mpirun":
                continue  # its mpirun would kill the ranks
            with tempfile.TemporaryDirectory() as directory, Program(command, directory) as program:
                program.wait_running()
                time.sleep(0.5)
                program.signal(number)
                outcome = program.finish(seconds=10)
                status = outcome.status_file()
                require(outcome.status == 0, f"{way}, {number.name}: {outcome.show()}")
                require(status["state"] == "ended" and status["first_failure"] is None, f"status.json: {status}")
                require(not status["finished"], "a run that a signal stopped counts as finished")
                require(bool(status["stop_reason"]), "status.json has no reason of the stop")


def contract8_two_signals(programs: Programs) -> None:
    """The second Ctrl-C ends at once what does not stop."""
    for way, command in programs.bad_in_each_way("--place", "loop").items():
        if way == "mpirun":
            continue
        with tempfile.TemporaryDirectory() as directory, Program(command, directory) as program:
            program.wait_running()
            time.sleep(0.5)
            program.signal(signal.SIGINT)
            wait_until(lambda: program.status_so_far().get("state") == "stopping", "it stops")
            require(program.process.poll() is None, f"{way}: one signal ended it")
            for _ in range(2 if way == "local" else 1):  # in one process the second asks, and the third ends
                asked = time.monotonic()
                program.signal(signal.SIGINT)
                time.sleep(0.3)
            outcome = program.finish(seconds=10)
            took = time.monotonic() - asked
            require(outcome.status != 0, f"{way}: the status is 0\n{outcome.show()}")
            require(took < 4, f"{way}: it took {took:.1f} s from the second signal to the end")


def contract10_picture(programs: Programs) -> None:
    """SIGUSR2 prints who waits for what, on which rank, since when; the run goes on."""
    for way, command in programs.bad_in_each_way("--place", "run").items():
        if way == "mpirun" and programs.mpirun_kills_all:
            continue  # it hands SIGUSR2 to nobody
        with tempfile.TemporaryDirectory() as directory, Program(command, directory) as program:
            program.wait_running()
            time.sleep(1)
            program.signal(signal.SIGUSR2)
            wait_until(lambda: re.search(r"peer.*holder", program.stderr_so_far()), f"{way}: the wait of peer is told")
            for rank in range(3):
                wait_until(lambda r=rank: f"rank {r}" in program.stderr_so_far(), f"{way}: rank {rank} tells its waits")
            require(program.process.poll() is None, f"{way}: it ended by SIGUSR2")
            program.signal(signal.SIGTERM)
            program.finish()


def contract10_stall(programs: Programs) -> None:
    """A long wait is told without being asked."""
    for way, command in programs.bad_in_each_way("--place", "run", "--slipway-stall-after=500ms").items():
        with tempfile.TemporaryDirectory() as directory, Program(command, directory) as program:
            wait_until(lambda: re.search(r"peer.*holder", program.stderr_so_far()), f"{way}: the wait of peer is told")
            program.signal(signal.SIGTERM)
            program.finish()


def contract9_time_limit(programs: Programs) -> None:
    def look(outcome: Outcome) -> None:
        require_status(outcome, 124)
        require(outcome.status_file()["exit_status"] == 124, "status.json does not say so")
    ways = programs.bad_in_each_way("--place", "run")
    check_each({way: [*command, "--slipway-time-limit=1s"] for way, command in ways.items()}, look)


def contract9_core(programs: Programs) -> None:
    """A crash leaves a core where the limit allows it, and has the same status as without."""
    if resource.getrlimit(resource.RLIMIT_CORE)[1] == 0:
        return print("not tried: the hard limit of core files is 0")
    pattern = pathlib.Path("/proc/sys/kernel/core_pattern").read_text(encoding="ascii").strip()
    files = bool(pattern) and pattern[0] not in "|@/"
    for fault in ("segv", "abort"):
        def look(outcome: Outcome) -> None:
            require_status(outcome, 1)
            require_text(r"slipway: a core is written, of process \d+", outcome.stderr)
            require_text("victim.*rank 1", outcome.stderr)
            cores = [file for file in outcome.run.parent.iterdir() if file.is_file() and file.read_bytes()[:4] == b"\x7fELF"]
            require(len(cores) == 1 or not files, f"there are {len(cores)} cores in the working directory")
        ways = programs.bad_in_each_way("--fault", fault)
        limited = ["bash", "-c", 'ulimit -S -c "$(ulimit -H -c)" && exec "$@"', "limited"]
        check_each({way: [*limited, *command] for way, command in ways.items() if way != "mpirun"}, look)


def contract9_after_launch(programs: Programs) -> None:
    """What main does after launch belongs to the program: a rank that fails there does not end as 0."""
    def look(outcome: Outcome) -> None:
        require_status(outcome, 1)
        require_text(r"main of rank (\d or )*1 " if programs.mpirun_kills_all else "main of rank 1 ", outcome.stderr)
    def look_under_mpirun(outcome: Outcome) -> None:
        require(outcome.status != 0, "the status is 0")
    for fault in ("exception", "exit", "abort", "segv", "kill"):
        ways = programs.bad_in_each_way("--place", "after", "--fault", fault)
        run(ways["alone"], look=look)
        run(ways["mpirun"], look=look_under_mpirun, own_segments_only=True)
    ways = programs.bad_in_each_way("--place", "after")
    check_each(ways, lambda outcome: require_status(outcome, 0))


def contract9_usage(programs: Programs) -> None:
    """Status 2 and a sentence for what is wrong before anything starts."""
    def refused(pattern: str):
        def look(outcome: Outcome) -> None:
            require_status(outcome, 2)
            require_text(pattern, outcome.stderr)
        return look
    for words, pattern in [(["--slipway-stal-after=3s"], r"unknown option --slipway-stal-after .*-stall-after\?"),
                           (["--slipway-ranks=many"], r"--slipway-ranks has the value 'many'"),
                           (["--graph", "duplicate"], r"holder"),
                           (["--graph", "undefined"], r"never_defined"),
                           (["--victim", "2", "--slipway-ranks=2"], r"rank [012]")]:
        for way, command in programs.bad_in_each_way().items():
            if "--slipway-ranks=2" in words:
                command = [*programs.mpirun, "2", programs.bad] if way == "mpirun" else command
            check_each({f"{way} {words}": [*command, *words]}, refused(pattern))
    check_each({"variable": [programs.good]}, refused("SLIPWAY_SEDE.*SLIPWAY_SEED"), {"SLIPWAY_SEDE": "1"})


def contract9_no_start(programs: Programs) -> None:
    """What keeps one rank from starting is no loss of a rank: status 2, and the reason."""
    for victim in range(3):
        name = f"rank-{victim:05}.log"
        for way, command in programs.bad_in_each_way().items():
            with tempfile.TemporaryDirectory() as directory:
                pathlib.Path(directory, "run", "logs", name).mkdir(parents=True)  # in the way of the file
                with Program(command, directory) as program:
                    outcome = program.finish(seconds=20)
                    status = outcome.status_file() if way == "alone" else None
                    about = f"{way}, rank {victim}: {outcome.status}\n{outcome.stdout}{outcome.stderr}\n{status}"
                    killed = way == "mpirun" and programs.mpirun_kills_all and outcome.status != 0
                    require(outcome.status == 2 or killed, f"the status is not 2: {about}")
                    require(name in outcome.stderr, f"the reason is not said: {about}")
                    require(status is None or (status["exit_status"] == 2 and name in status["first_failure"]["text"]),
                            f"the reason is not recorded: {about}")


def contract9_before_launch(programs: Programs) -> None:
    """A main that throws or ends before launch, on one rank, is a failure of the program and not the loss of a rank."""
    for graph, text in [("throws", "std::domain_error: before launch: the graph cannot be built here"),
                        ("exits", "main ended before launch, with status 0")]:
        def look(outcome: Outcome, text=text) -> None:
            require_status(outcome, 1)
            require(text in outcome.stderr and "rank 2" in outcome.stderr, "the reason is not said")
            require(outcome.status_file()["exit_status"] == 1, "the status is not recorded")
        check_each({graph: programs.bad_in_each_way("--graph", graph)["alone"]}, look)


def contract17_versions(programs: Programs) -> None:
    """--slipway-version names all that is involved, and starts nothing."""
    def look(outcome: Outcome) -> None:
        require_status(outcome, 0)
        for what in (r"slipway +\d+\.\d+\.\d+", r"wire format +\d+", r"compiler +(GCC|.*[Cc]lang) ?\S*\d.*", r"HDF5 +none",
                     r"MPI +.*\d+\.\d+.*" if programs.mpirun else "MPI +none"):
            require_text(rf"(?m)^{what}$", outcome.stdout)
        require(not outcome.run.exists(), "there is a run directory")
    run([programs.good, "--slipway-version"], look=look)


def contract7_difference(programs: Programs) -> None:
    """Graphs that differ between ranks are refused; the message names the rank and the item."""
    def look(outcome: Outcome) -> None:
        require_status(outcome, 2)
        require_text(r"ranks 0 and 2 do not run the same program: .*5 nodes", outcome.stderr)
    ways = programs.bad_in_each_way("--graph", "differs")
    del ways["local"]  # one process builds one graph
    check_each(ways, look)


def contract7_singletons(programs: Programs) -> None:
    """Ranks whose launcher speaks another dialect than the MPI library are each alone, and say so."""
    def look(outcome: Outcome) -> None:
        require_status(outcome, 2)
        require_text(r"MPI sees 1 rank but OMPI_COMM_WORLD_SIZE says that 4", outcome.stderr)
    run([programs.good], {"OMPI_COMM_WORLD_SIZE": "4", "OMPI_COMM_WORLD_RANK": "0"}, look)


def contract17_two_runs(programs: Programs) -> None:
    """Two runs at once from one directory do not mix; the directory of a run cannot be taken twice."""
    with tempfile.TemporaryDirectory() as directory:
        commands = [[programs.good, "--slipway-ranks=2", *more] for more in ([], [], [LOCAL])]
        running = [subprocess.Popen(command, cwd=directory, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                    stderr=subprocess.PIPE, text=True) for command in commands]
        for child in running:
            _, stderr = child.communicate(timeout=60)
            require(child.returncode == 0, f"one of the runs ended with status {child.returncode}: {stderr}")
        runs = [path for path in (pathlib.Path(directory) / "runs").iterdir() if not path.is_symlink()]
        require(len(runs) == 3, f"three runs made the directories {runs}")
        for path in runs:
            require_whole_status(path)
        require((pathlib.Path(directory) / "runs" / "latest" / "status.json").is_file(), "latest is no run")
        before = (runs[0] / "status.json").read_bytes()
        for way in ("auto", "local"):
            again = subprocess.run([programs.good, f"--slipway-launcher={way}", f"--slipway-run-directory={runs[0]}"],
                                   cwd=directory, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60,
                                   check=False)
            require(again.returncode == 2 and "is taken" in again.stderr, f"{way}: it was taken twice: {again}")
            require((runs[0] / "status.json").read_bytes() == before, f"{way}: the record of the run has changed")


def require_whole_status(path: pathlib.Path) -> None:
    status = json.loads((path / "status.json").read_text(encoding="utf-8"))
    require((status["state"], status["exit_status"]) == ("ended", 0), f"{path} has {status}")
    require(len(list((path / "logs").iterdir())) == 2, f"{path} has the logs of more than one run")


def contract17_plan(programs: Programs) -> None:
    """A plan is printed on stdout, and nothing runs."""
    forms = {"text": r"consumer", "json": r"consumer", "dot": r"^\s*digraph"}
    for form, pattern in forms.items():
        def look(outcome: Outcome, form=form, pattern=pattern) -> None:
            require_status(outcome, 0)
            require_text(pattern, outcome.stdout)
            require(not outcome.stderr.strip(), "something is on stderr")
            if form == "json":
                require("producer/2" in json.dumps(json.loads(outcome.stdout)), "the plan misses a node")
            require(not (outcome.run / "status.json").exists(), "a run was recorded")
        ways = {"alone": [programs.good, "--slipway-ranks=3"], "local": [programs.good, "--slipway-ranks=3", LOCAL]}
        if programs.mpirun:
            ways["mpirun"] = [*programs.mpirun, "3", programs.good]
        check_each({way: [*command, f"--slipway-plan={form}"] for way, command in ways.items()}, look)


def contract11_cycles(programs: Programs) -> None:
    """Starts and stops leave no process, no shared memory, nothing on stderr."""
    def look(outcome: Outcome) -> None:
        require_status(outcome, 0)
        require(outcome.stderr == "", "something is on stderr")
    for cycle in range(programs.cycles):
        words = ["--slipway-quiet", f"--slipway-ranks={1 + cycle % 4}"]
        if cycle % 4 == 3 or not programs.mpirun:
            words.append(LOCAL)
        check_each({f"cycle {cycle}": [programs.good, *words]}, look)


def contract11_launcher_killed(programs: Programs) -> None:
    """Ranks do not outlive the ./program that started them."""
    command = programs.bad_in_each_way("--place", "run")["alone"]
    with tempfile.TemporaryDirectory() as directory, Program(command, directory) as program:
        program.wait_running()
        require(len(processes.descendants()) > 3, f"there are no ranks: {processes.descendants()}")
        program.signal(signal.SIGKILL)
        program.process.wait()
        wait_until(lambda: not processes.descendants(), "all ranks have ended", seconds=10)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("check")
    parser.add_argument("--good", required=True)
    parser.add_argument("--bad", required=True)
    parser.add_argument("--mpirun", default="")
    parser.add_argument("--mpirun-kills-all", action="store_true")  # all ranks with the first, as MPICH's does
    parser.add_argument("--cycles", type=int, default=20)
    options = parser.parse_args()
    processes.become_subreaper()
    try:
        globals()[options.check](Programs(options))
    except Failure as failure:
        print(f"FAILED {options.check}: {failure}", flush=True)
        return 1
    print(f"ok     {options.check}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
