# SPDX-License-Identifier: Apache-2.0
"""Idle workers that sleep against idle workers that search on (Williams and Elliott 2024, figures 5
and 6: its lazy and its busy scheduler)."""

from dataclasses import dataclass

from ..kept import as_list
from ..measure import Job
from ..ratios import Spread
from ..tables import spread
from .figure import DEFAULT, Figure

LAZY, BUSY = "lazy", "busy"
# The benchmarks of the paper; uts has two trees.
PROGRAMS = ("fib", "integrate", "matmul", "nqueens", "uts_geometric", "uts_binomial")


def jobs(asked, programs):
    return [Job(f"{v.workload} {v.name} {policy}", p, v.command(p, v.sizes[asked.size], 1),
                {"NOPAL_IDLE": policy})
            for v in programs.variants if v.family == "nopal" and asked.has(v, PROGRAMS)
            for p in asked.workers_or([1, 2]) for policy in (BUSY, LAZY)]


@dataclass(frozen=True)
class Idled:
    """The times of a program with both policies, and lazy over busy."""

    label: str  # fib invoke
    workers: int
    busy: Spread
    lazy: Spread
    ratio: Spread


def idled(results):
    found = []
    for label, p in results.keys():
        if not label.endswith(f" {LAZY}"):
            continue
        program = label.removesuffix(f" {LAZY}")
        busy = (f"{program} {BUSY}", p)
        if (ratio := results.ratio((label, p), busy)) is not None:
            found.append(Idled(program.replace(f" {DEFAULT}", " "), p, results.seconds(*busy),
                               results.seconds(label, p), ratio))
    return found


def table(results):
    return ["workload and front end", "P", "busy, seconds", "lazy, seconds", "lazy/busy"], [
        [i.label, i.workers, spread(i.busy), spread(i.lazy), spread(i.ratio)]
        for i in idled(results)]


def cases(results):
    """over_busy: the time with idle workers that sleep over that with those that search on."""
    return [{"label": i.label, "workers": i.workers, "rounds": i.ratio.count,
             "over_busy": as_list(i.ratio)} for i in idled(results)]


IDLE = Figure("idle", "idle workers that sleep against idle workers that search on",
              "Williams and Elliott 2024, figures 5 and 6", jobs, table,
              lambda size, results: [], cases)
