# SPDX-License-Identifier: Apache-2.0
"""Victims drawn by distance against victims drawn uniformly (Williams and Elliott 2024, equation
6): time, and how many steals stay in a package.

The machine is made up: of four packages, or of CPUs that are all as far from each other. So the
time says what drawing costs, and what it does to the number of steals, and not what a far steal
costs.
"""

from dataclasses import dataclass

from ..counts import total_per_run
from ..kept import as_list, digits
from ..measure import Job
from ..ratios import Spread
from ..tables import number, spread
from .figure import Figure
from .strategies import AS_PAGES, PAGES, TIMES, size_of

UNIFORM, WEIGHTED = "uniform", "weighted"
PACKAGES = 4
FRONT_END = "invoke"


def jobs(asked, programs):
    """Without numbers of workers that do not fill packages."""
    programs_by = {(v.family, v.workload): v for v in programs.stacks
                   if v.name == f"{v.family}-{FRONT_END}" and asked.has(v)}
    return [Job(f"{workload} {victims}{suffix}", p, v.command(p, size_of(v, asked.size), 1),
                {"NOPAL_BENCH_VICTIMS": victims})
            for workload in dict.fromkeys(workload for _, workload in programs_by)
            for family, suffix in ((TIMES, ""), (PAGES, AS_PAGES))
            for p in asked.workers_or([16]) if p % PACKAGES == 0 and p >= 2 * PACKAGES
            for victims in (UNIFORM, WEIGHTED)
            if (v := programs_by.get((family, workload))) is not None]


@dataclass(frozen=True)
class Drawn:
    """A program with both kinds of victims. None where that was not measured."""

    workload: str
    workers: int
    ratio: Spread | None  # the time of weighted over that of uniform
    steals: dict  # kind -> steals of a run
    within: dict  # kind -> the share of them within a package


def drawn(results):
    found = []
    for workload, p in dict.fromkeys((label.split(" ")[0], p) for label, p in results.keys()):
        counted = {kind: results.records(f"{workload} {kind}{AS_PAGES}", p)
                   for kind in (UNIFORM, WEIGHTED)}
        found.append(Drawn(workload, p, results.ratio((f"{workload} {WEIGHTED}", p),
                                                      (f"{workload} {UNIFORM}", p)),
                           {kind: total_per_run(records, "steals")
                            for kind, records in counted.items()},
                           {kind: _within(records) for kind, records in counted.items()}))
    return found


def _within(records):
    counts = [r["runtime"] for r in records if r.get("runtime")]
    steals = sum(c["total"]["steals"] for c in counts)
    return sum(c["steals_within_package"] for c in counts) / steals if steals else None


def table(results):
    return ["workload", "P", "time, weighted/uniform",
            *(f"{what}, {kind}" for what in ("steals", "of them in a package")
              for kind in (UNIFORM, WEIGHTED))], [
        [d.workload, d.workers, spread(d.ratio),
         *(number(of[kind]) for of in (d.steals, d.within) for kind in (UNIFORM, WEIGHTED))]
        for d in drawn(results)]


def cases(results):
    """over_uniform: the time with weighted victims over that with uniform ones; within: the share
    of steals within a package, uniform and weighted."""
    return [{"label": d.workload, "workers": d.workers, "over_uniform": as_list(d.ratio),
             **{what: [digits(of[kind]) for kind in (UNIFORM, WEIGHTED)]
                for what, of in (("steals", d.steals), ("within", d.within))}}
            for d in drawn(results)]


VICTIMS = Figure("victims", "victims drawn by distance against victims drawn uniformly",
                 "Williams and Elliott 2024, equation 6", jobs, table, lambda size, results: [],
                 cases, {"stacks": "stacks"})
