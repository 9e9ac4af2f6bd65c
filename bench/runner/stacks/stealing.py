# SPDX-License-Identifier: Apache-2.0
"""Child against continuation stealing (Pfeiffer 2020, figure 5.1; Schmaus 2015, section 5.6), both
by `fork_frame` and beside the serial program."""

from dataclasses import dataclass

from ..kept import as_list
from ..measure import Job
from ..ratios import Spread
from ..tables import SERIAL, spread
from .figure import Figure

CHILD, CONTINUATION = "nopal-child-", "nopal-"
LARGEST_FIB = 30  # as in Schmaus 2015: a child that is queued is most of what fib does
LARGEST_TREE = {"smoke": 100, "quick": 10_000, "paper": 1_000_000}


def jobs(asked, programs):
    found = []
    for child in programs.child:
        if not asked.has(child):
            continue
        names = (SERIAL, child.name.replace(CHILD, CONTINUATION))
        beside = [v for v in programs.variants if v.workload == child.workload and v.name in names]
        for n in _sizes(child, asked.size):
            found += [Job(f"{child.workload}({n}) {v.name}", p, v.command(p, n, 1))
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


@dataclass(frozen=True)
class Stealing:
    """A program by child stealing beside the same by continuation stealing."""

    workload: str
    n: int
    workers: int
    child: str  # label
    continuation: str  # label
    ratio: Spread  # the time of child over that of continuation
    speedups: tuple  # T_s/T_P of continuation and of child; None without the serial program

    @property
    def title(self):
        return f"{self.workload}({self.n})"


def stealing(results):
    """For each size and number of workers in its order."""
    found = []
    for label, workers in results.keys():
        if CHILD not in label:
            continue
        continuation = label.replace(CHILD, CONTINUATION)
        ratio = results.ratio((label, workers), (continuation, workers))
        if ratio is None:
            continue
        record = results.records(label, workers)[0]
        serial = (f"{label.split(' ')[0]} {SERIAL}", 1)
        speedups = tuple(results.ratio(serial, (of, workers)) for of in (continuation, label))
        found.append(Stealing(record["workload"], record["n"], workers, label, continuation, ratio,
                              speedups))
    return found


def table(results):
    """As in Schmaus 2015, table 5.2."""
    rows = []
    for found in stealing(results):
        times = (results.seconds(label, found.workers)
                 for label in (found.continuation, found.child))
        rows.append([found.title, found.workers, *map(spread, times), spread(found.ratio),
                     *map(spread, found.speedups)])
    return ["workload", "P", "continuation, seconds", "child, seconds", "child/continuation",
            "T_s/T_P, continuation", "T_s/T_P, child"], rows


def cases(results):
    """over_continuation: the time by child stealing over that by continuation stealing."""
    return [{"label": s.title, "workers": s.workers, "over_continuation": as_list(s.ratio)}
            for s in stealing(results)]


STEALING = Figure("stealing", "child against continuation stealing",
                  "Pfeiffer 2020, figure 5.1", jobs, table, lambda size, results: [],
                  cases, {"child": "nopal-child"})
