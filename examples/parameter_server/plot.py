#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The slipway authors
# SPDX-License-Identifier: Apache-2.0
"""Draws the learning curves of one or more runs of parameter_server (needs h5py and matplotlib).

    ./plot.py runs/latest/result/result.h5 [more.h5 ...] [-o curves.png]
"""
import argparse

import h5py
import matplotlib

matplotlib.use("Agg")  # no display needed
from matplotlib import pyplot  # noqa: E402  (after the choice of the back end)


def label_of(file):
    return f"{file.attrs['mode']}, {file.attrs['trainers']} trainers, {file.attrs['shards']} shards"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="+", metavar="result.h5")
    parser.add_argument("-o", "--output", default="curves.png")
    arguments = parser.parse_args()

    figure, (by_updates, by_seconds) = pyplot.subplots(1, 2, figsize=(10, 4), sharey=True)
    for path in arguments.results:
        with h5py.File(path, "r") as file:
            curve = {name: dataset[:] for name, dataset in file["curve"].items()}
            error = 100 * (1 - curve["accuracy"])
            by_updates.plot(curve["updates"], error, marker="o", label=label_of(file))
            by_seconds.plot(curve["seconds"], error, marker="o")
    by_updates.set(xlabel="updates", ylabel="held-out images named wrongly (%)", yscale="log")
    by_seconds.set(xlabel="seconds")
    for axes in (by_updates, by_seconds):
        axes.axhline(3, color="grey", linestyle=":", linewidth=1)
        axes.grid(alpha=0.3)
    by_updates.legend()
    figure.tight_layout()
    figure.savefig(arguments.output, dpi=150)


if __name__ == "__main__":
    main()
