#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The slipway authors
# SPDX-License-Identifier: Apache-2.0
"""Makes digits.h5 from the copy of the UCI digits that the PyPI package scikit-learn carries.

    python3 -m venv venv && venv/bin/pip install scikit-learn h5py
    venv/bin/python make_digits.py digits.h5
"""
import argparse
import gzip
import importlib.resources

import h5py
import numpy

ORIGIN = """Optical Recognition of Handwritten Digits, E. Alpaydin and C. Kaynak, UCI Machine Learning Repository, 1998,
https://doi.org/10.24432/C50P49, licence CC BY 4.0 (https://creativecommons.org/licenses/by/4.0/).
These are the 1,797 images of its test set, from 13 writers. Changes: the CSV rows became arrays; the mask
held_out was added. Taken from the file datasets/data/digits.csv.gz of the PyPI package scikit-learn."""

HELD_OUT = 360  # a fifth of the images
SPLIT_SEED = 1998


def read_rows():
    source = importlib.resources.files("sklearn.datasets.data") / "digits.csv.gz"
    with source.open("rb") as packed, gzip.open(packed) as text:
        return numpy.loadtxt(text, delimiter=",").astype(numpy.uint8)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output")
    rows = read_rows()
    assert rows.shape == (1797, 65) and rows[:, :64].max() == 16 and rows[:, 64].max() == 9
    # RandomState, not default_rng: numpy promises that its stream never changes.
    held_out = numpy.zeros(len(rows), numpy.uint8)
    held_out[numpy.random.RandomState(SPLIT_SEED).permutation(len(rows))[:HELD_OUT]] = 1
    with h5py.File(parser.parse_args().output, "w", libver=("earliest", "v110")) as file:
        file.attrs["origin"] = ORIGIN
        file.attrs["split"] = f"numpy.random.RandomState({SPLIT_SEED}).permutation(1797)[:{HELD_OUT}] is held out"
        options = {"track_times": False}  # the same input gives the same bytes
        images = file.create_dataset("images", data=rows[:, :64].reshape(-1, 8, 8), compression="gzip", **options)
        images.attrs["description"] = "grey level 0 to 16: black pixels in each 4 x 4 block of the 32 x 32 scan"
        labels = file.create_dataset("labels", data=rows[:, 64], **options)
        labels.attrs["description"] = "the digit, 0 to 9"
        mask = file.create_dataset("held_out", data=held_out, **options)
        mask.attrs["description"] = "1 where an image is kept for testing and never trained on"


if __name__ == "__main__":
    main()
