# SPDX-FileCopyrightText: 2026 The slipway authors
# SPDX-License-Identifier: Apache-2.0
"""From the figures of all rounds to one line a row."""

import statistics

from suite.rows import Pair, Row


def summary(row: Row, pairs: list[Pair], why_not: str) -> dict:
    """Ratios and differences are taken within a round, where both figures come right after each other."""
    line = {"name": row.name, "must": row.must, "small_is_good": row.small_is_good}
    if not pairs:
        return line | {"not_measured": why_not}
    line["slipway"] = judged = statistics.median(pair.slipway for pair in pairs)
    if pairs[0].baseline is not None:
        line["baseline"] = statistics.median(pair.baseline for pair in pairs)
        measure = "difference" if row.difference else "ratio"
        line[measure] = judged = statistics.median(getattr(pair, measure)() for pair in pairs)
    if row.must is not None:
        line["reached"] = judged <= row.must if row.small_is_good else judged >= row.must
    return line


def number(value: float | None) -> str:
    return "" if value is None else f"{value:,.0f}" if value >= 10_000 else f"{value:,.2f}"


def print_line(name: str, slipway: str, baseline: str, ratio: str, must: str, verdict: str) -> None:
    print(f"{name:<40}{slipway:>12}{baseline:>12}{ratio:>8}  {must:<8}{verdict}".rstrip())


def print_table(lines: list[dict]) -> None:
    print_line("what", "slipway", "baseline", "ratio", "must", "verdict")
    for line in lines:
        must = "" if line["must"] is None else f"{'<=' if line['small_is_good'] else '>='} {line['must']:g}"
        if "not_measured" in line:
            verdict = f"not measured: {line['not_measured'].splitlines()[0]}"
        else:
            verdict = {True: "reached", False: "NOT REACHED", None: ""}[line.get("reached")]
        figures = [number(line.get(column)) for column in ("slipway", "baseline", "ratio")]
        if "difference" in line:
            figures[-1] = f"{line['difference']:+.2f}"
        print_line(line["name"], *figures, must, verdict)
