# SPDX-FileCopyrightText: 2026 The slipway authors
# SPDX-License-Identifier: Apache-2.0
"""Processes: who lives below whom, how they end."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import pathlib
from typing import Callable, Iterable

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36


def become_subreaper() -> None:
    """Orphans of what is run below come to this process, so none is missed."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def end_with_parent(number: int) -> Callable[[], int]:
    """For preexec_fn: the child gets this signal when its parent dies."""
    return functools.partial(ctypes.CDLL(None).prctl, PR_SET_PDEATHSIG, number, 0, 0, 0)


def _parent(pid: int) -> int | None:
    """None if it is gone. A zombie counts as gone: who reaps it may be late."""
    try:
        stat = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    state, parent = stat.rpartition(")")[2].split()[:2]
    return None if state in "ZX" else int(parent)


def is_gone(pid: int) -> bool:
    return _parent(pid) is None


def all_pids() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def below(*roots: int) -> list[int]:
    """The living processes below these, parents first."""
    children: dict[int, list[int]] = {}
    for pid in all_pids():
        if (parent := _parent(pid)) is not None:
            children.setdefault(parent, []).append(pid)
    found, queue = [], list(roots)
    while queue:
        more = children.get(queue.pop(0), [])
        found += more
        queue += more
    return found


def describe(pids: Iterable[int]) -> str:
    """Their command lines; nothing of those that are ending."""
    names = []
    for pid in pids:
        with contextlib.suppress(OSError):
            words = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            names += [f"{pid} ({words.strip()[:80]})"] if words else []
    return ", ".join(names)


def send(number: int, pids: Iterable[int]) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


def shell_status(status: int) -> int:
    """What a shell would say for this return code of subprocess."""
    return status if status >= 0 else 128 - status
