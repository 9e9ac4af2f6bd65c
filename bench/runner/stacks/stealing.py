# SPDX-License-Identifier: Apache-2.0
"""Child against continuation stealing (Pfeiffer 2020, figure 5.1; Schmaus 2015, section 5.6), both
by `fork_frame` and beside the serial program."""

from ..charts import Lines
from ..ratios import without_none
from ..tables import SERIAL, nested, pivot
from .figure import Figure, by_workers

CHILD, CONTINUATION = "nopal-child-", "nopal-"
LARGEST_FIB = 30  # as in Schmaus 2015: a child that is queued is most of what fib does
LARGEST_TREE = {"smoke": 100, "quick": 10_000, "paper": 1_000_000}


def jobs(asked, programs):
    found = []
    for child in programs.of("nopal-child"):
        if not asked.has(child):
            continue
        names = (SERIAL, child.name.replace(CHILD, CONTINUATION))
        beside = [v for v in programs.variants if v.workload == child.workload and v.name in names]
        for n in _sizes(child, asked.size):
            found += [asked.job(v, p, f"{child.workload}({n}) {v.name}", n=n)
                      for v in [*beside, child]
                      for p in (asked.workers_or([1, 2]) if v.parallel else [1])]
    return found


def _sizes(child, size):
    """Trees have n from 1, in powers of ten."""
    if not child.workload.startswith("master"):
        n = child.sizes[size]
        return [min(n, LARGEST_FIB) if child.workload == "fib" else n]
    most = min(LARGEST_TREE[size], child.sizes["paper"])
    return [10**k for k in range(len(str(most)))]


def cases(results):
    """over_continuation: the time by child stealing over that by continuation stealing; speedup:
    T_s/T_P of that."""
    found = []
    for label, p in results.keys():
        continuation, serial = label.replace(CHILD, CONTINUATION), f"{label.split(' ')[0]} {SERIAL}"
        ratio = results.ratio((label, p), (continuation, p))
        if CHILD in label and ratio is not None:
            record = results.records(label, p)[0]
            found.append(without_none({
                "label": f"{record['workload']}({record['n']})", "workers": p,
                "over_continuation": ratio,
                "speedup": results.ratio((serial, 1), (continuation, p))}))
    return found


def table(section):
    """By the work of a fork."""
    return pivot("T_child/T_continuation", (
        (c["label"], f"{what}P = {c['workers']}", c[key]) for what, key in (
            ("", "over_continuation"), ("T_s/T_P, ", "speedup")) for c in section.cases
        if key in c))


def charts(section):
    """A line for each tree, by the work of its nodes."""
    for p, found in by_workers(section, "over_continuation").items():
        sized = [(*label.rstrip(")").split("("), ratio) for label, ratio in found.items()]
        curves = nested((name, int(n), ratio) for name, n, ratio in sized)
        yield Lines(f"stealing-{p}", f"The time of child stealing over that of continuation "
                    f"stealing, {p} workers.", "n", f"child/continuation, P = {p}",
                    {name: points for name, points in curves.items() if len(points) > 2}, 10,
                    line=1)


STEALING = Figure("stealing", "child against continuation stealing",
                  "Pfeiffer 2020, figure 5.1", jobs, cases, table, charts,
                  needs=("nopal-child",),
                  note="In the trees `master` (depth 5, breadth 6), `master_wide` (2, 1000) and "
                       "`master_deep` (12, 2) the work of each node is proportional to n. Above 1, "
                       "child stealing takes longer.")
