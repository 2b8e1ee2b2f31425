# SPDX-FileCopyrightText: 2026 The slipway authors
# SPDX-License-Identifier: Apache-2.0
"""How figures of several rounds become one judged line."""

import contextlib
import io
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
from suite.rows import Pair, Row  # noqa: E402  pylint: disable=wrong-import-position
from suite.table import print_table, summary  # noqa: E402  pylint: disable=wrong-import-position


def printed(*lines: dict) -> list[str]:
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        print_table(list(lines))
    return output.getvalue().splitlines()[1:]


class Table(unittest.TestCase):
    def test_the_ratio_is_the_median_of_the_rounds_ratios(self):
        line = summary(Row("rate", 0.9), [Pair(10, 10), Pair(90, 100), Pair(3, 1)], "")
        self.assertEqual((line["slipway"], line["baseline"], line["ratio"]), (10, 10, 1))

    def test_large_ratios_of_rates_are_good(self):
        row = Row("rate", 1.5)
        self.assertTrue(summary(row, [Pair(3, 2)], "")["reached"])
        self.assertFalse(summary(row, [Pair(2.9, 2)], "")["reached"])

    def test_small_ratios_of_times_are_good(self):
        row = Row("time", 1.5, small_is_good=True)
        self.assertTrue(summary(row, [Pair(3, 2)], "")["reached"])
        self.assertFalse(summary(row, [Pair(3.1, 2)], "")["reached"])

    def test_a_figure_without_baseline_is_judged_itself(self):
        row = Row("percent", 4, small_is_good=True)
        line = summary(row, [Pair(3), Pair(9), Pair(4)], "")
        self.assertTrue(line["reached"])
        self.assertNotIn("ratio", line)
        self.assertFalse(summary(row, [Pair(4.1)], "")["reached"])

    def test_what_is_allowed_more_than_the_baseline(self):
        row = Row("time", 1, small_is_good=True, difference=True)
        line = summary(row, [Pair(30, 29.5), Pair(3, 2), Pair(9, 2)], "")
        self.assertNotIn("ratio", line)
        self.assertTrue(line["reached"])
        self.assertRegex(printed(line)[0], r"^time +9\.00 +2\.00 +\+1\.00 +<= 1 +reached$")
        self.assertFalse(summary(row, [Pair(3.5, 2)], "")["reached"])

    def test_a_row_for_information_is_not_judged(self):
        self.assertNotIn("reached", summary(Row("figure"), [Pair(1)], ""))

    def test_a_row_without_figures_says_why(self):
        line = summary(Row("rate", 0.8), [], "needs --ygm DIR\nand more")
        self.assertNotIn("reached", line)
        self.assertRegex(printed(line)[0], r"^rate +>= 0\.8 +not measured: needs --ygm DIR$")

    def test_lines_show_figures_and_verdict(self):
        lines = printed(summary(Row("rate", 1.5), [Pair(1_234_567, 1_000_000)], ""),
                        summary(Row("time", 4, small_is_good=True), [Pair(0.5)], ""))
        self.assertRegex(lines[0], r"^rate +1,234,567 +1,000,000 +1\.23 +>= 1\.5 +NOT REACHED$")
        self.assertRegex(lines[1], r"^time +0\.50 +<= 4 +reached$")


if __name__ == "__main__":
    unittest.main()
