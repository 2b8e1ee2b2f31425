#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The slipway authors
# SPDX-License-Identifier: Apache-2.0
"""Draws the figure of a report that `slipway report` wrote (needs matplotlib).

    plot_report.py report.json FIGURE    writes FIGURE.svg and FIGURE.png
"""
import json
import sys

import matplotlib

matplotlib.use("Agg")  # no display needed
from matplotlib import pyplot, ticker  # noqa: E402  (after the choice of the back end)

# Told apart by people with any colour vision, and in grey.
BLUE, ORANGE, GREEN, GREY = "#0072b2", "#e69f00", "#009e73", "#777777"
GUIDE = 0.8  # efficiency that centres ask for


def label_of(row: dict) -> str:
    return f"{row['size']}\n({row['gpus']:g} GPUs)" if row["gpus"] else str(row["size"])


def by_size(axes, report: dict) -> None:
    rows = report["rows"]
    axes.set_xscale("log", base=2)
    axes.set_xticks([row["size"] for row in rows], [label_of(row) for row in rows])
    axes.xaxis.set_minor_locator(ticker.NullLocator())
    axes.set_xlabel(report["unit"])
    axes.grid(alpha=0.3)


def draw_metric(axes, report: dict) -> None:
    rows, metric = report["rows"], report["metric"]
    sizes = [row["size"] for row in rows]
    medians = [row["median"] for row in rows]
    errors = [[row["median"] - row["lower"] for row in rows], [row["upper"] - row["median"] for row in rows]]
    grows = [size / sizes[0] for size in sizes]
    if not metric["is_time"]:
        ideal = [medians[0] * times for times in grows]
    elif report["scaling"] == "strong":
        ideal = [medians[0] / times for times in grows]
    else:
        ideal = [medians[0]] * len(sizes)
    axes.plot(sizes, ideal, color=GREY, linestyle="--", label="ideal")
    points = [(row["size"], value) for row in rows for value in row["values"]]
    axes.scatter(*zip(*points), color=ORANGE, s=12, alpha=0.8, label="runs", zorder=2)
    axes.errorbar(sizes, medians, yerr=errors, color=BLUE, marker="o", capsize=3, label="median, quartiles", zorder=3)
    axes.set_yscale("log", base=10)
    axes.yaxis.set_major_formatter(ticker.EngFormatter())
    axes.yaxis.set_minor_formatter(ticker.NullFormatter())
    if max(ideal + medians) < 10 * min(ideal + medians):  # less than a decade has too few marks of its own
        axes.yaxis.set_major_locator(ticker.LogLocator(base=10, subs=(1, 2, 5)))
    axes.set_ylabel("time (s)" if metric["is_time"] else metric["name"])
    by_size(axes, report)
    axes.legend()


def draw_efficiency(axes, report: dict) -> None:
    rows = report["rows"]
    axes.axhline(1, color=GREY, linestyle="--")
    axes.axhline(GUIDE, color=GREY, linestyle=":", label=f"{GUIDE:.0%}")
    axes.plot([row["size"] for row in rows], [row["efficiency"] for row in rows], color=BLUE, marker="o")
    axes.set_ylim(bottom=0, top=max([1.1] + [1.05 * row["efficiency"] for row in rows]))
    axes.yaxis.set_major_formatter(ticker.PercentFormatter(xmax=1))
    axes.set_ylabel("efficiency")
    by_size(axes, report)
    axes.legend(loc="lower left")


def draw_phases(axes, report: dict) -> None:
    rows = report["rows"]
    places = range(len(rows))
    below = [0.0] * len(rows)
    for phase, colour in (("starting", ORANGE), ("running", BLUE), ("stopping", GREEN)):
        heights = [row[phase] for row in rows]
        axes.bar(places, heights, bottom=below, color=colour, label=phase)
        below = [low + height for low, height in zip(below, heights)]
    axes.set_xticks(list(places), [label_of(row) for row in rows])
    axes.set_xlabel(report["unit"])
    axes.set_ylabel("time (s), medians")
    axes.legend()


def draw_scaling(report: dict):
    figure, panels = pyplot.subplots(1, 3, figsize=(13, 4.2))
    for draw, axes in zip((draw_metric, draw_efficiency, draw_phases), panels):
        draw(axes, report)
    return figure


def draw_work(report: dict):
    """A run: how much work was done by when."""
    figure, axes = pyplot.subplots(figsize=(8, 4.2))
    for unit, samples in report["samples"].items():
        axes.plot([seconds for seconds, _ in samples], [amount for _, amount in samples], marker=".", label=unit)
    axes.set_xlabel("seconds since the start of the workers")
    axes.set_ylabel("work")
    axes.yaxis.set_major_formatter(ticker.EngFormatter())
    axes.grid(alpha=0.3)
    axes.legend()
    return figure


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        report = json.load(file)
    matplotlib.rcParams["svg.hashsalt"] = "slipway"  # equal data, equal files
    figure = draw_scaling(report) if report["kind"] == "scaling" else draw_work(report)
    figure.tight_layout()
    figure.savefig(sys.argv[2] + ".svg", metadata={"Date": None})
    figure.savefig(sys.argv[2] + ".png", dpi=150)


if __name__ == "__main__":
    main()
