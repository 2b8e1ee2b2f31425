# SPDX-FileCopyrightText: 2026 The slipway authors
# SPDX-License-Identifier: Apache-2.0
"""expect_compile_failure.py REGEX COMPILER ARGS...: the compiler must fail, and an error line must match REGEX."""

import re
import subprocess
import sys


def main() -> int:
    pattern, command = sys.argv[1], sys.argv[2:]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode == 0:
        print(f"compiled, but should have been refused with: {pattern}")
        return 1
    errors = [line for line in result.stderr.splitlines() if "error:" in line or "note:" in line]
    if any(re.search(pattern, line) for line in errors):
        return 0
    print(f"refused, but no error says: {pattern}\n{result.stderr[:8000]}")
    return 1


sys.exit(main())
