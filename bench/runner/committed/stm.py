# SPDX-License-Identifier: Apache-2.0
"""Transactions, with their locks in the data and in tables, beside others."""

from ..stm.plan import MICRO, MISSES, ONE_VAR, PREFIX, READ_SETS, TRANSACTIONS
from ..stm.program import ATOMIC, BASE, ORDER
from ..tables import as_markdown, number
from .cells import spread
from .results import NotMeasured

THREADS = (1, 2)


def _sections(committed, names):
    """Those of the names that are there."""
    for name in names:
        try:
            yield name, committed.section(PREFIX + name)
        except NotMeasured:
            continue


def workloads(committed):
    """The time of each variant by that of inline locks, one workload a column pair."""
    rows = []
    for name, section in _sections(committed, TRANSACTIONS):
        for variant in ORDER:
            cases = [section.case(variant, n) for n in THREADS]
            if cases[0] is None:
                continue
            rows.append([name, variant,
                         *(cell for c in cases
                           for cell in (spread(c and c["seconds"]),
                                        spread(c and c.get("over_inline")))),
                         spread(cases[1] and cases[1].get("speedup"))])
    header = [cell for n in THREADS for cell in (f"P = {n}, seconds", "by inline's")]
    return as_markdown(["workload", "variant", *header, "T_1/T_2"], rows)


def one_var(committed):
    """Nanoseconds for an increment of one value."""
    rows = []
    for name, section in _sections(committed, ONE_VAR):
        for variant in (*ORDER, ATOMIC):
            cases = [section.case(variant, n) for n in THREADS]
            if cases[0] is not None:
                rows.append([name, variant, *(spread(c and c["seconds"]) for c in cases)])
    return as_markdown(["four million increments", "variant",
                        *(f"P = {n}, seconds" for n in THREADS)], rows)


def contention(committed):
    """Figure 2.1: how many times faster than one thread, if each has an integer, or all one."""
    section = committed.section(f"{PREFIX}contention")
    loads = MICRO["contention"]
    rows = [[threads, *(spread(section.case(load, threads).get("speedup")) for load in loads)]
            for threads in sorted({c["workers"] for c in section.cases}) if threads > 1]
    return as_markdown(["threads", "an integer for each", "one for all"], rows)


def locality(committed):
    """Figure 2.2: two lines far from each other, by two words of one line."""
    found = next((section for _, section in _sections(committed, ["locality"])), None)
    if found is None:
        return ("Not measured since the reads depend on each other: `./run bench stm --workload "
                "locality`.\n")
    far, near = MICRO["locality"]
    rows = [[threads, *(spread(found.case(load, threads)["seconds"]) for load in (far, near)),
             spread(found.case(far, threads)["over_near"])]
            for threads in sorted({c["workers"] for c in found.cases})]
    return as_markdown(["threads", "two lines, seconds", "one line, seconds",
                        "two lines by one"], rows)


def misses(committed):
    """What cachegrind counts."""
    rows = []
    section = committed.section(PREFIX + MISSES)
    for c in section.cases:
        workload, variant = c["label"].split(" ")
        base = section.case(f"{workload} {BASE}", 1)
        ratio = (number(base["misses"] / c["misses"]) if variant != BASE and base is not None
                 else number(None))
        rows.append([workload, variant, number(c["first_level_percent"]),
                     number(c["last_level_percent"]), c["misses"], ratio])
    return as_markdown(["workload", "locks", "first level, % missed", "all levels, % missed",
                        "first-level misses", "inline's by it"], rows)


def read_sets(committed):
    """Average sizes, and how many of each size."""
    cases = committed.section(PREFIX + READ_SETS).cases
    rows = [["average", *(number(c["read_set"]) for c in cases)]]
    rows += [[f"from {at}", *(c["sizes"].get(at, 0) for c in cases)]
             for at in sorted({at for c in cases for at in c["sizes"]}, key=int)]
    return as_markdown(["size of the read-set", *(c["label"] for c in cases)], rows)
