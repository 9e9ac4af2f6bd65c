# SPDX-License-Identifier: Apache-2.0
"""Victims drawn by distance against victims drawn uniformly (Williams and Elliott 2024, equation
6): time, and how many steals stay in a package.

The machine is made up: of four packages, or of CPUs that are all as far from each other. So the
time says what drawing costs, and what it does to the number of steals, and not what a far steal
costs.
"""

from .figure import Compared
from .strategies import PAGES, timed_and_counted

PACKAGES = 4
FRONT_END = "invoke"


class Victims(Compared):
    def jobs(self, asked, programs):
        """Without numbers of workers that do not fill packages."""
        workers = [p for p in asked.workers_or([16]) if p % PACKAGES == 0 and p >= 2 * PACKAGES]
        return timed_and_counted(asked, programs, workers, {
            kind: (FRONT_END, {"NOPAL_BENCH_VICTIMS": kind})
            for kind in (self.reference, *self.ways)
            if asked.front_ends is None or FRONT_END in asked.front_ends})

    def counted(self, results, program, way, workers):
        label = f"{program}@{way}{PAGES}"
        counts = [r["runtime"] for r in results.records(label, workers) if r.get("runtime")]
        steals = sum(c["total"]["steals"] for c in counts)
        return [results.total_per_run(label, workers, "steals"),
                sum(c["steals_within_package"] for c in counts) / steals if steals else None]


VICTIMS = Victims("victims", "victims drawn by distance against victims drawn uniformly",
                  "Williams and Elliott 2024, equation 6", ("stacks",),
                  f"The workers are on a machine that is made up: it has {PACKAGES} packages, and "
                  "a thief draws its victims by distance; or all CPUs are as far from each other, "
                  "and it draws uniformly. A far steal costs no more than a near one here, so the "
                  "time does not show what staying near saves.",
                  "uniform", {"weighted": "time"}, "weighted/uniform",
                  ("steals", "share in a package"))
