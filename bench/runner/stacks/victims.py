# SPDX-License-Identifier: Apache-2.0
"""Victims drawn by distance against victims drawn uniformly (Williams and Elliott 2024, equation
6): time, and how many steals stay in a package.

The machine is made up: of four packages, or of CPUs that are all as far from each other. So the
time says what drawing costs, and what it does to the number of steals, and not what a far steal
costs.
"""

from ..tables import Table, number, spread
from .figure import Figure, whole
from .strategies import AS_PAGES, timed_and_counted

UNIFORM, WEIGHTED = "uniform", "weighted"
PACKAGES = 4
FRONT_END = "invoke"


def jobs(asked, programs):
    """Without numbers of workers that do not fill packages."""
    workers = [p for p in asked.workers_or([16]) if p % PACKAGES == 0 and p >= 2 * PACKAGES]
    return timed_and_counted(asked, programs, workers, {
        kind: (FRONT_END, {"NOPAL_BENCH_VICTIMS": kind}) for kind in (UNIFORM, WEIGHTED)
        if asked.front_ends is None or FRONT_END in asked.front_ends})


def _within(records):
    counts = [r["runtime"] for r in records if r.get("runtime")]
    steals = sum(c["total"]["steals"] for c in counts)
    return sum(c["steals_within_package"] for c in counts) / steals if steals else None


def cases(results):
    """over_uniform: the time with weighted victims over that with uniform ones; steals of a run,
    and within: the share of them within a package, uniform and weighted."""
    found = []
    for workload, p in dict.fromkeys((label.split(" ")[0], p) for label, p in results.keys()):
        counted = [(f"{workload} {kind}{AS_PAGES}", p) for kind in (UNIFORM, WEIGHTED)]
        found.append({"label": workload, "workers": p,
                      "over_uniform": results.ratio((f"{workload} {WEIGHTED}", p),
                                                    (f"{workload} {UNIFORM}", p)),
                      "steals": [results.total_per_run(*key, "steals") for key in counted],
                      "within": [_within(results.records(*key)) for key in counted]})
    return found


def table(section):
    """Time, steals of a run, and the share of them in a package."""
    return Table(["workload", "P", "time, weighted/uniform",
                  *(f"{what}, {kind}" for what in ("steals", "in a package")
                    for kind in (UNIFORM, WEIGHTED))],
                 [[c["label"], c["workers"], spread(c.get("over_uniform")),
                   *map(whole, c["steals"]), *map(number, c["within"])] for c in section.cases])


VICTIMS = Figure("victims", "victims drawn by distance against victims drawn uniformly",
                 "Williams and Elliott 2024, equation 6", jobs, cases, table,
                 needs=("stacks",),
                 note=f"The workers are on a machine that is made up: it has {PACKAGES} packages, "
                      "and a thief draws its victims by distance; or all CPUs are as far from each "
                      "other, and it draws uniformly. A far steal costs no more than a near one "
                      "here, so the time does not show what staying near saves.")
