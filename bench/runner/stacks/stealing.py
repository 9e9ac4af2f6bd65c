# SPDX-License-Identifier: Apache-2.0
"""Child against continuation stealing (Pfeiffer 2020, figure 5.1), by the work of a fork. Both by
`fork_frame` and beside the serial program."""

from ..charts import Lines
from ..tables import nested
from .figure import Compared

CHILD, CONTINUATION = "nopal-child-", "nopal-"
LARGEST_FIB = 30  # as in Schmaus 2015: a child that is queued is most of what fib does
LARGEST_TREE = {"smoke": 100, "quick": 10_000, "paper": 1_000_000}


class Stealing(Compared):
    def jobs(self, asked, programs):
        found = []
        for child in programs.of("nopal-child"):
            name = child.name.replace(CHILD, CONTINUATION)
            both = {v: way for v, way in (
                *((v, self.reference) for v in programs.of("nopal")
                  if (v.workload, v.name) == (child.workload, name)), (child, "child"))}
            for n in _sizes(child, asked.size) if asked.has(child) else ():
                found += asked.serial(programs, child.workload, n)
                found += [asked.job(v, way, p, n=n, program=f"{child.workload}({n})")
                          for v, way in both.items() for p in asked.workers_or([1, 2])]
        return found

    def picture(self, workers, rows):
        """A line for each tree, by the work of its nodes."""
        curves = nested((*label.rstrip(")").split("("), ratio)
                        for label, of in rows.items() for ratio in of.values())
        return Lines(f"stealing-{workers}", "The time of child stealing over that of continuation "
                     f"stealing, {workers} workers.", "n", f"child/continuation, P = {workers}",
                     {name: {int(n): ratio for n, ratio in points.items()}
                      for name, points in curves.items() if len(points) > 2}, line=1)


def _sizes(child, size):
    """Trees have n from 1, in powers of ten."""
    if not child.workload.startswith("master"):
        n = child.sizes[size]
        return [min(n, LARGEST_FIB) if child.workload == "fib" else n]
    most = min(LARGEST_TREE[size], child.sizes["paper"])
    return [10**k for k in range(len(str(most)))]


STEALING = Stealing("stealing", "child against continuation stealing", "Pfeiffer 2020, figure 5.1",
                    ("nopal-child",),
                    "In the trees `master` (depth 5, breadth 6), `master_wide` (2, 1000) and "
                    "`master_deep` (12, 2) the work of each node is proportional to n. Above 1, "
                    "child stealing takes longer.",
                    "continuation", {"child": ""}, "T_child/T_continuation",
                    means=False)
