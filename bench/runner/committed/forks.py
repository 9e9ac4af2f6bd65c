# SPDX-License-Identifier: Apache-2.0
"""What a fork costs: fib, which does nothing but call, over the serial program."""

from ..tables import Table, spread
from .cells import machine_name, wrapped

OWN = {"invoke": "`parallel_invoke`", "frame": "`fork_frame`", "task": "`task`"}
# The short table has these.
PEERS = {"rayon": "Rayon, `join`", "libfork": "libfork", "oneTBB": "oneTBB, `parallel_invoke`"}


def _row(committed, section, label, name):
    one, two = section.case(label, 1), section.case(label, 2)
    return [name, committed.compiler(section, label), spread(one.get("over_serial")),
            spread(two and two.get("over_serial"))]


def _own_rows(committed, section):
    labels = [(f"nopal{by}-{key}", name) for key, name in OWN.items() for by in ("", "-llvm")]
    return [_row(committed, section, label, f"nopal, {name}")
            for label, name in labels if section.case(label, 1)]


def _header(section):
    return [f"fib({section.n}), time over serial", "compiler", "1 worker", "2 workers"]


def fastest(committed, section, library, workers=1, compiler=None):
    """Of several ways to use a library the one that took the least time, by that compiler if one is
    given. None where there is none."""
    cases = [c for c in section.cases if committed.library(c["label"]) == library
             and c["workers"] == workers and "@" not in c["label"]
             and compiler in (None, committed.compiler(section, c["label"]))]
    return min(cases, key=lambda c: c["seconds"], default=None)


def short(committed):
    """nopal by both compilers, and three peers, of each the fastest way to use it, by the compiler
    that is best for it; and where, when and how often that was measured."""
    section = committed.section("fib")
    rows = _own_rows(committed, section)
    for library, name in PEERS.items():
        if found := fastest(committed, section, library):
            rows.append(_row(committed, section, found["label"], name))
    run, rounds = committed.run_of(section), max(c["rounds"] for c in section.cases)
    where = (f"{machine_name(run)}, {run['started'][:10]}; {rounds} rounds, median "
             "(lowest..highest).")
    note = f" {run['note']}" if "note" in run else ""
    return Table(_header(section), rows, wrapped(where + note))


def every_library(committed):
    """nopal by both compilers, and of each peer the fastest way to use it."""
    section = committed.section("fib")
    libraries = dict.fromkeys(committed.library(label) for label in section.labels)
    found = [fastest(committed, section, library)
             for library in libraries if library not in ("nopal", "serial")]
    found.sort(key=lambda case: case["over_serial"][0])
    rows = [_row(committed, section, c["label"], c["label"]) for c in found]
    return Table(_header(section), [*_own_rows(committed, section), *rows])
