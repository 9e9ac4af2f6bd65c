# SPDX-License-Identifier: Apache-2.0
"""Ways to keep a cactus stack beside the default (Lee and others 2010, figure 2, as far as
docs/stacks.md has them).

The default is a new stack for whatever is stolen, whose stale pages are given back where the space
bound needs it. Frames that wait steal children and not continuations; so new_stack is child
stealing that takes new stacks, beside which they stand.
"""

from ..programs import STACKS
from ..tables import Table, nested, spread
from .figure import Compared, whole, workers_of

STACKS_OF_A_POOL = 2  # for each worker
# Of frames that wait.
RULES = ("new_stack", "unrestricted", "deeper", "limited", "leapfrog", "recycle")
# Name -> the front end, and what the environment sets.
STRATEGIES = {
    "default": ("invoke", {}),
    "dontneed": ("invoke", {"NOPAL_RECLAIM": "dontneed"}),
    "none": ("invoke", {"NOPAL_RECLAIM": "none"}),
    "pool": ("invoke", {"NOPAL_BENCH_STACKS": str(STACKS_OF_A_POOL)}),
    **{rule: ("frame", {"NOPAL_BENCH_RULE": rule}) for rule in RULES},
}
PAGES = "@pages"  # behind the label of what is not for time
LARGEST_FIB = 36  # a child that is queued is most of what fib does


class Strategies(Compared):
    def jobs(self, asked, programs):
        return timed_and_counted(asked, programs, asked.workers_or([2, 8]), {
            name: of for name, of in STRATEGIES.items()
            if asked.strategies is None or name in (self.reference, *asked.strategies)})

    def counted(self, results, program, way, workers):
        """The most in any round."""
        found = [r["runtime"] for r in results.records(f"{program}@{way}{PAGES}", workers)]
        return [max((of[key] for of in found), default=None)
                for key in ("stack_pages", "peak_stacks_in_use")]

    def table(self, section):
        """Time with the fewest workers, which have a CPU each at best, pages with the most."""
        workers = workers_of(section.cases)
        few, many = ([c for c in section.cases if c["workers"] == p]
                     for p in (workers[0], workers[-1]))
        cells = nested([
            *((way, f"{c['label']}, T_{workers[0]}/default", spread(ratio)) for way in STRATEGIES
              for c in few if (ratio := ([1, 1, 1] if way == self.reference else
                                         c["over"].get(way)))),
            *((way, f"{c['label']}, pages, P = {workers[-1]}", whole(of[0]))
              for c in many for way, of in c.get("counts", {}).items())])
        columns = list(dict.fromkeys(column for of in cells.values() for column in of))
        return Table(["strategy", *columns],
                     [[way, *(of.get(column, "–") for column in columns)]
                      for way, of in cells.items()])


def timed_and_counted(asked, programs, workers, ways):
    """Every way of each workload for time, then for pages. ways: name -> the front end, and what
    the environment sets."""
    programs_by = {(v.family, v.workload, v.name): v for v in programs.of(*STACKS)
                   if asked.workloads is None or v.workload in asked.workloads}
    return [asked.job(v, f"{name}{suffix}", p, environment, _size(v, asked.size), workload)
            for workload in dict.fromkeys(workload for _, workload, _ in programs_by)
            for family, suffix in zip(STACKS, ("", PAGES))
            for p in workers for name, (front_end, environment) in ways.items()
            if (v := programs_by.get((family, workload, f"{family}-{front_end}"))) is not None]


def _size(v, size):
    return min(v.sizes[size], LARGEST_FIB) if v.workload == "fib" else v.sizes[size]


STRATEGY = Strategies("strategies", "ways to keep a cactus stack: time, and pages of stacks",
                      "Lee and others 2010, figure 2", ("stacks",),
                      "Strategies whose frames wait queue and steal children, which has a price of "
                      "its own: compare them with `new_stack`, child stealing on new stacks.",
                      ways={name: name for name in STRATEGIES if name != "default"},
                      counts=("pages", "stacks"))
