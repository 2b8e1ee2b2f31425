# SPDX-FileCopyrightText: 2026 The slipway authors
# SPDX-License-Identifier: Apache-2.0
"""What is measured: groups of rows whose figures come from the same programs, slipway's and the baseline's in turn."""

import dataclasses
import os
import statistics
from collections.abc import Callable

from suite.machine import BENCH, Machine, figures_in


@dataclasses.dataclass(frozen=True)
class Row:
    name: str
    must: float | None = None  # of the ratio, or of slipway's figure where there is no baseline; None: for information
    small_is_good: bool = False
    difference: bool = False  # `must` is of slipway's figure less the baseline's, not of their ratio


@dataclasses.dataclass(frozen=True)
class Pair:
    slipway: float
    baseline: float | None = None

    def ratio(self) -> float | None:
        return None if self.baseline is None else self.slipway / self.baseline

    def difference(self) -> float | None:
        return None if self.baseline is None else self.slipway - self.baseline


@dataclasses.dataclass(frozen=True)
class Task:
    """Where to measure, and how much: 100 percent of effort, or just enough to see that all works."""
    machine: Machine
    percent: int

    def figures(self, ranks: int, program: str, *options: str, mpirun_flags: list[str] | None = None) -> dict[str, float]:
        return self.machine.figures(ranks, program, "--effort", str(self.percent), *options, mpirun_flags=mpirun_flags)

    def of(self, count: int) -> int:
        return max(1, count * self.percent // 100)


@dataclasses.dataclass(frozen=True)
class Group:
    name: str
    rows: list[Row]
    measure: Callable[[Task], list[Pair]]  # one a row


def calls(task: Task) -> list[Pair]:
    own, raw = task.figures(2, "bench/bench_calls"), task.figures(2, "bench/bench_raw")
    return [Pair(own["round_trip_us"], raw["round_trip_us"]),
            Pair(own["calls_64_per_s"], raw["messages_64_per_s"]),
            Pair(own["calls_1024_per_s"], raw["messages_1024_per_s"])]


def posts(task: Task) -> list[Pair]:
    ygm = task.machine.figures(2, task.machine.ygm_posts)
    return [Pair(task.figures(2, "bench/bench_posts")["posts_per_s"], ygm["posts_per_s"])]


def arrays(task: Task) -> list[Pair]:
    own, raw = task.figures(2, "bench/bench_arrays"), task.figures(2, "bench/bench_raw_arrays")
    return [Pair(own[name], raw[name]) for name in ("argument_fresh_gb_per_s", "result_fresh_gb_per_s",
                                                    "argument_recycled_gb_per_s", "result_recycled_gb_per_s")]


def tasks(task: Task) -> list[Pair]:
    own = task.figures(1, "bench/bench_tasks")
    return [Pair(own[name]) for name in ("create_us", "get_finished_us", "submit_to_value_us", "tasks_per_s", "wait_for_one_us",
                                         "drain_1000_ms", "arguments_10000_s", "get_10000_s", "queue_and_run_s",
                                         "bytes_a_queued_task")]


def spread(task: Task) -> list[Pair]:
    own, raw = task.figures(2, "bench/bench_spread"), task.figures(2, "bench/bench_raw")
    alone = task.figures(1, "bench/bench_tasks")
    return [Pair(own["remote_us"], raw["round_trip_us"]), Pair(own["tasks_per_s"], alone["tasks_per_s"]),
            *(Pair(own[f"efficiency_{length}"]) for length in ("7ms", "1ms", "100us"))]


def large_values(task: Task) -> list[Pair]:
    own, raw = task.figures(2, "bench/bench_large_values", "--slipway-fake-hosts=2"), task.figures(2, "bench/bench_raw_arrays")
    return [Pair(own["put_gb_per_s"], raw["argument_fresh_gb_per_s"]),
            *(Pair(own[f"there_{size}mib_per_s"], own[f"here_{size}mib_per_s"]) for size in (10, 100))]


def traces(task: Task) -> list[Pair]:
    traced, silent = (task.figures(1, "bench/bench_traces", f"--slipway-task-events={rate}") for rate in (10000, 0))
    return [Pair(traced[name], silent[name]) for name in ("empty_per_s", "paced_us", "tasks_of_1ms_per_s")]


def metg(task: Task) -> list[Pair]:
    baseline = task.machine.build / "bench/metg_openmp"
    if not baseline.exists():
        raise NotMeasured("needs a compiler with OpenMP")
    own = task.figures(1, "bench/bench_metg")
    openmp = figures_in(task.machine.start([str(baseline), "--effort", str(task.percent)]))
    return [Pair(own[name], openmp[name]) for name in (f"metg_{pattern}_us" for pattern in METG_PATTERNS)]


def tcp(task: Task) -> list[Pair]:
    flags = task.machine.without_shared_memory()
    own, raw = (task.figures(2, program, "--most-outstanding", "64", mpirun_flags=flags)
                for program in ("bench/bench_calls", "bench/bench_raw"))
    return [Pair(own["round_trip_us"], raw["round_trip_us"]), Pair(own["calls_64_per_s"], raw["messages_64_per_s"])]


def near(task: Task) -> list[Pair]:
    one_rank = task.figures(1, "bench/bench_calls", "--most-outstanding", "1", "--callee-rank", "0")
    in_process = task.machine.start([str(task.machine.build / "bench/bench_calls"), "--most-outstanding", "1",
                                     "--effort", str(task.percent), "--slipway-launcher=local", "--slipway-ranks=2"])
    return [Pair(one_rank["round_trip_us"]), Pair(figures_in(in_process)["round_trip_us"])]


def threads(task: Task) -> list[Pair]:
    own = task.figures(2, "bench/bench_threads")
    return [Pair(own[f"threads_{count}_{figure}"]) for count in (1, 2, 4) for figure in ("round_trip_us", "calls_per_s")]


def crowd(task: Task) -> list[Pair]:
    """One call at a time, so that the active pair must get both cores again and again."""
    eight, two = (1e6 / task.figures(ranks, "bench/bench_calls", "--most-outstanding", "1")["round_trip_us"]
                  for ranks in (8, 2))
    return [Pair(eight, two)]


def idle(task: Task) -> list[Pair]:
    return [Pair(task.figures(8, "bench/bench_idle")["idle_percent"])]


def flood(task: Task) -> list[Pair]:
    own = task.figures(2, "bench/bench_flood")
    return [Pair(own["caller_growth_mib"]), Pair(own["service_growth_mib"])]


def start(task: Task) -> list[Pair]:
    times = [(task.machine.seconds(4, "bench/bench_empty"), task.machine.seconds(4, "bench/bench_raw_empty"))
             for _ in range(task.of(5))]
    return [Pair(*(statistics.median(own) for own in zip(*times)))]


def script(task: Task) -> list[Pair]:
    """The longest list that one word of a command line can be has some 128 KiB."""
    left_out = ",".join(f"nid{3 * node:06}" for node in range(5_000))
    words = [str(task.machine.build / "tools/slipway/slipway"), "script", "--dry-run", "--machine", "generic", "--nodes",
             "10000", "--ranks-per-node", "8", "--cores-per-rank", "1", "--time", "1h", "--exclude", left_out]
    whole = [[task.machine.command_seconds([*words, str(program)]) for _ in range(task.of(9))]
             for program in ("/bin/true", task.machine.build / "bench/bench_empty")]
    alone = figures_in(task.machine.start([str(task.machine.build / "bench/bench_script"), "--effort", str(task.percent)]))
    return [*(Pair(statistics.median(times)) for times in whole), Pair(alone["script_ms"])]


def submission(task: Task) -> list[Pair]:
    figures = task.machine.figures_beside_slurm(
        BENCH / "suite/submission.py", task.machine.build / "tools/slipway/slipway",
        task.machine.build / "examples/producer_consumer", task.of(7))
    return [Pair(figures["submit_s"], figures["sbatch_s"])]


def cores() -> int:
    return len(os.sched_getaffinity(0))


def parameter_server(task: Task) -> list[Pair]:
    # Three trainers, two shards and an evaluator on both sides: nodes on as many ranks as there are cores, or a rank each.
    options = ["--updates", str(task.of(8000))]
    return [Pair(task.machine.rate("updates", min(6, cores()), "examples/parameter_server", *options),
                 task.machine.rate("updates", 6, "bench/parameter_server_mpi", *options))]


def evolution_strategies(task: Task) -> list[Pair]:
    # An evaluator a core on both sides; the searcher shares a rank with one of them, or has its own, and mostly waits.
    evaluators = min(8, cores())
    options = ["--generations", str(task.of(200)), "--stop-when-solved", "0"]
    return [Pair(task.machine.rate("generations", evaluators, "examples/evolution_strategies", "--evaluators",
                                   str(evaluators), *options),
                 task.machine.rate("generations", evaluators + 1, "bench/evolution_strategies_mpi", *options))]


def compilation(task: Task) -> list[Pair]:
    program = "examples/producer_consumer/producer_consumer.cpp"
    times = [(task.machine.compile_seconds(program, BENCH.parent / program),
              task.machine.compile_seconds(program, BENCH / "baseline/first_program.cpp")) for _ in range(task.of(3))]
    return [Pair(*(statistics.median(own) for own in zip(*times)))]


METG_PATTERNS = ["stencil", "nearest", "fft", "spread", "all_to_all"]

GROUPS = [
    Group("calls", [Row("round trip of a 64 B call, us", 1.5, small_is_good=True),
                    Row("calls/s, 64 outstanding", 1.5),
                    Row("calls/s, 1024 outstanding", 5)], calls),
    Group("posts", [Row("posts/s against YGM", 0.8)], posts),
    Group("arrays", [Row("64 MiB argument, fresh memory, GB/s", 0.9),
                     Row("64 MiB result, fresh memory, GB/s", 0.9),
                     Row("64 MiB argument, recycled, GB/s", 0.9),
                     Row("64 MiB result, recycled, GB/s", 0.9)], arrays),
    Group("tcp", [Row("TCP: round trip of a 64 B call, us", 1.5, small_is_good=True),
                  Row("TCP: calls/s, 64 outstanding", 3)], tcp),
    Group("near", [Row("call within a rank, us", 1, small_is_good=True),
                   Row("call in-process, other rank awake, us", 3, small_is_good=True)], near),
    Group("threads", [Row(f"{caller} calling: {figure}")
                      for caller in ("1 thread", "2 threads", "4 threads")
                      for figure in ("round trip, us", "calls/s together")], threads),
    Group("tasks", [Row("create a task, us", 2, small_is_good=True),
                    Row("get a finished value, us", 0.5, small_is_good=True),
                    Row("empty task, submit to value, us", 15, small_is_good=True),
                    Row("empty tasks/s, one submitter", 1e6),
                    Row("wait for 1 of 1,000, us", 2, small_is_good=True),
                    Row("1,000 empty tasks and waits, ms", 4, small_is_good=True),
                    Row("task with 10,000 refs, s", 0.1, small_is_good=True),
                    Row("10,000 tasks and get of all, s", 0.1, small_is_good=True),
                    Row("1 M tasks queued, then run, s", 2, small_is_good=True),
                    Row("memory of a queued task, B", 300, small_is_good=True)], tasks),
    Group("spread", [Row("empty task on another rank, us", 4, small_is_good=True),
                     Row("empty tasks/s, one submitter, 2 ranks against 1", 0.7),
                     Row("tasks of 7 ms on 2 ranks, part of perfect", 0.97),
                     Row("tasks of 1 ms on 2 ranks, part of perfect", 0.95),
                     Row("tasks of 0.1 ms on 2 ranks, part of perfect", 0.85)], spread),
    Group("large_values", [Row("64 MiB value to a task on another rank, GB/s", 0.9),
                           Row("tasks/s on 10 MiB inputs, placed by them or not", 10),
                           Row("tasks/s on 100 MiB inputs, the same", 10)], large_values),
    Group("traces", [Row("empty tasks/s, traces on against off", 0.8),
                     Row("an empty task now and then, us, the same", None, small_is_good=True),
                     Row("tasks of 1 ms/s, the same", 0.99)], traces),
    Group("metg", [Row(f"METG(50 %), {pattern.replace('_', ' ')}, us", 1, small_is_good=True)
                   for pattern in METG_PATTERNS], metg),
    Group("crowd", [Row("8 ranks, one pair active, calls/s", 0.5)], crowd),
    Group("idle", [Row("8 idle ranks, % of a core", 4, small_is_good=True)], idle),
    # 64 MiB of requests may be in flight; batches, replies and the allocator take some more.
    Group("flood", [Row("flood of 2 M: caller's growth, MiB", 72, small_is_good=True),
                    Row("flood of 2 M: service's growth, MiB", 72, small_is_good=True)], flood),
    Group("start", [Row("empty program on 4 ranks, s", 1.5, small_is_good=True)], start),
    Group("script", [Row("script for 10,000 nodes, s", 0.5, small_is_good=True),
                     Row("the same of a slipway program, s", 0.5, small_is_good=True),
                     Row("the same, pure function alone, ms", 500, small_is_good=True)], script),
    Group("submission", [Row("submit to first log line, s", 1, small_is_good=True, difference=True)], submission),
    Group("parameter_server", [Row("parameter_server, updates/s", 0.9)], parameter_server),
    Group("evolution_strategies", [Row("evolution_strategies, generations/s", 0.9)], evolution_strategies),
    Group("compilation", [Row("compiling the first program, CPU s", 4, small_is_good=True)], compilation),
]
