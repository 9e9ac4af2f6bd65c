# SPDX-License-Identifier: Apache-2.0
"""Free stacks in lists of workers against one bitmap of all (Schmaus 2015, table 3.1)."""

from dataclasses import dataclass

from ..kept import as_list
from ..measure import Job
from ..ratios import Spread
from ..tables import spread
from .figure import Figure

PROGRAM = "stack_cache"  # bench/micro
TURNS = {"smoke": 10, "quick": 500, "paper": 5000}
LISTS, BITMAP = "lists", "bitmap"


def jobs(asked, programs):
    """None where programs were chosen: this has no workload and no front end."""
    program = programs.micros.get(PROGRAM)
    if program is None or asked.workloads or asked.front_ends:
        return []
    return [Job(PROGRAM, p, [str(program), "--workers", str(p), "--turns",
                             str(TURNS[asked.size])]) for p in asked.workers_or([1, 2, 8])]


@dataclass(frozen=True)
class Cached:
    """Nanoseconds of taking a stack and putting it back by each kind, and bitmap over lists."""

    workers: int
    lists: Spread
    bitmap: Spread
    ratio: Spread


def cached(results):
    found = []
    for label, p in results.keys():
        records = results.records(label, p)
        lists, bitmap = ([r[kind]["nanoseconds"]["median"] for r in records]
                         for kind in (LISTS, BITMAP))
        found.append(Cached(p, Spread.of(lists), Spread.of(bitmap),
                            Spread.of(b / a for a, b in zip(lists, bitmap, strict=True))))
    return found


def table(results):
    return ["threads", "lists, ns", "bitmap, ns", "bitmap/lists"], [
        [c.workers, spread(c.lists), spread(c.bitmap), spread(c.ratio)] for c in cached(results)]


def targets(size, results):
    return []


def cases(results):
    """nanoseconds: of taking a free stack and putting it back; over_lists: bitmap over lists."""
    return [{"label": PROGRAM, "workers": c.workers, "rounds": c.ratio.count,
             "nanoseconds": as_list(c.lists), "over_lists": as_list(c.ratio)}
            for c in cached(results)]


CACHES = Figure("caches", "free stacks in lists of workers against one bitmap of all",
                "Schmaus 2015, table 3.1", jobs, table, targets, cases)
