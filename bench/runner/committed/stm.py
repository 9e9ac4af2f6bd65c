# SPDX-License-Identifier: Apache-2.0
"""Transactions, with their locks in the data and in tables, beside others."""

from ..charts import Bars, Lines
from ..stm.plan import GROUPS, MICRO, MISSES, ONE_VAR, PREFIX, READ_SETS, TRANSACTIONS
from ..stm.program import ATOMIC, BASE, ORDER, TABLE
from ..tables import Table, number, spread
from .cells import with_machines
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
    rows, sections = [], []
    for name, section in _sections(committed, TRANSACTIONS):
        for variant in ORDER:
            cases = [section.case(variant, n) for n in THREADS]
            if cases[0] is None:
                continue
            sections.append(section)
            rows.append([name, variant,
                         *(cell for c in cases
                           for cell in (spread(c and c["seconds"]),
                                        spread(c and c.get("over_inline")))),
                         spread(cases[1] and cases[1].get("speedup"))])
    header = [cell for n in THREADS for cell in (f"P = {n}, seconds", "by inline's")]
    return with_machines(committed, sections,
                         Table(["workload", "variant", *header, "T_1/T_2"], rows))


def one_var(committed):
    """Nanoseconds for an increment of one value."""
    rows, sections = [], []
    for name, section in _sections(committed, ONE_VAR):
        for variant in (*ORDER, ATOMIC):
            cases = [section.case(variant, n) for n in THREADS]
            if cases[0] is not None:
                sections.append(section)
                rows.append([name, variant, *(spread(c and c["seconds"]) for c in cases)])
    return with_machines(committed, sections, Table(
        ["four million increments", "variant", *(f"P = {n}, seconds" for n in THREADS)], rows))


def contention(committed):
    """Figure 2.1: how many times faster than one thread, if each has an integer, or all one."""
    section = committed.section(f"{PREFIX}contention")
    loads = MICRO["contention"]
    rows = [[threads, *(spread(section.case(load, threads).get("speedup")) for load in loads)]
            for threads in sorted({c["workers"] for c in section.cases}) if threads > 1]
    return Table(["threads", "an integer for each", "one for all"], rows)


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
    return Table(["threads", "two lines, seconds", "one line, seconds",
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
    return Table(["workload", "locks", "first level, % missed", "all levels, % missed",
                        "first-level misses", "inline's by it"], rows)


def read_sets(committed):
    """Average sizes, and how many of each size."""
    cases = committed.section(PREFIX + READ_SETS).cases
    rows = [["average", *(number(c["read_set"]) for c in cases)]]
    rows += [[f"from {at}", *(c["sizes"].get(at, 0) for c in cases)]
             for at in sorted({at for c in cases for at in c["sizes"]}, key=int)]
    return Table(["size of the read-set", *(c["label"] for c in cases)], rows)


def charts(committed):
    """Figures 2.1, 2.2 and 2.4 to 2.6."""
    for group, names in GROUPS.items():
        curves = {}
        for name, section in _sections(committed, names):
            for c in section.cases:
                if c["label"] == TABLE and "over_inline" in c:
                    curves.setdefault(name, {})[c["workers"]] = c["over_inline"]
        if curves:
            yield Lines(f"stm-{group}", f"{group}: inline locks over a table of 2^20 (figures 2.4 "
                        "and 2.5).", "threads", "speedup", curves, line=1)
    for name, section in _sections(committed, ("contention",)):
        curves = {}
        for c in section.cases:
            if c["workers"] > 1:
                curves.setdefault(c["label"], {1: 1})[c["workers"]] = c["speedup"]
        yield Lines("stm-contention", "Each thread an integer of its own, or all one (figure 2.1).",
                    "threads", "speedup over one thread", curves)
    for name, section in _sections(committed, ("locality",)):
        points = {c["workers"]: c["over_near"] for c in section.cases if "over_near" in c}
        yield Lines("stm-locality", "Two lines far from each other by two words of a line (figure "
                    "2.2).", "threads", "time, far over near", {"far over near": points})
    for name, section in _sections(committed, (READ_SETS,)):
        sizes = sorted({int(at) for c in section.cases for at in c["sizes"]})
        yield Bars("stm-read-sets", "Sizes of read-sets in vacation-high, one thread (figure 2.6); "
                   "the last is of all that are larger.", "transactions",
                   {f"from {at}": {c["label"]: c["sizes"].get(str(at), 0) for c in section.cases}
                    for at in sizes})
