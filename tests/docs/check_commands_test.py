# SPDX-FileCopyrightText: 2026 The slipway authors
# SPDX-License-Identifier: Apache-2.0
"""The checker finds the commands of a page, and what is wrong with them."""

import unittest

import check_commands as check

PAGE = """Text with `inline code`.

```sh
./first --flag   # why
# a comment
second && third
```

1. in a list:
   ```console
   $ ./program
   sum 12 in 3.4 ms
   done
   ```

```cpp
./not_a_command;
```
"""


class CommandsOfAPage(unittest.TestCase):
    def test_finds_commands_and_what_they_print(self):
        found = check.commands_of(PAGE)
        self.assertEqual([command.text for command in found], ["./first --flag   # why", "second && third", "./program"])
        self.assertEqual([command.line for command in found], [4, 6, 11])
        self.assertEqual(found[2].shown, ["sum 12 in 3.4 ms", "done"])

    def test_commands_that_nobody_would_run_are_found(self):
        self.assertEqual(check.unmarked(PAGE), [])
        self.assertEqual(check.unmarked("```\n./program\n```\n\n    ./bootstrap test\n    text\n"), [2, 5])

    def test_numbers_may_differ_and_words_may_not(self):
        command = check.commands_of(PAGE)[2]
        self.assertEqual(check.problems_of(command, 0, "done\nsum   7 in 12 us\n", 9), [])
        self.assertEqual(len(check.problems_of(command, 0, "sum 7 in 12 us\n", 9)), 1)
        self.assertEqual(len(check.problems_of(command, 1, "", 9)), 1)
        self.assertEqual(len(check.problems_of(command, None, "", 9)), 1)

    def test_stand_ins(self):
        self.assertEqual(check.stand_in("ctest --preset dev -R graph  # one")[0], "ctest --preset dev -N -R graph  # one")
        self.assertEqual(check.stand_in("./bootstrap demo    # text")[0], r"./bootstrap --help | grep -Ew '^  demo'")
        self.assertEqual(check.stand_in("./program"), ("./program", ""))


if __name__ == "__main__":
    unittest.main()
