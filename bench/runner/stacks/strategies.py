# SPDX-License-Identifier: Apache-2.0
"""Ways to keep a cactus stack: time, and the most pages of stacks (Lee and others 2010, figure 2;
docs/stacks.md).

The default is a new stack for whatever is stolen, whose stale pages are given back where the space
bound needs it. Frames that wait steal children and not continuations; so new_stack is child
stealing that takes new stacks, beside which they stand.
"""

from dataclasses import dataclass

from ..kept import as_list
from ..measure import Job
from ..ratios import Spread
from ..tables import number, spread
from .figure import Figure

STACKS_OF_A_POOL = 2  # for each worker
# Of frames that wait.
RULES = ("new_stack", "unrestricted", "deeper", "limited", "leapfrog", "recycle")
DEFAULT = "default"
# Name -> the front end, and what the environment sets.
STRATEGIES = {
    DEFAULT: ("invoke", {}),
    "dontneed": ("invoke", {"NOPAL_RECLAIM": "dontneed"}),
    "none": ("invoke", {"NOPAL_RECLAIM": "none"}),
    "pool": ("invoke", {"NOPAL_BENCH_STACKS": str(STACKS_OF_A_POOL)}),
    **{rule: ("frame", {"NOPAL_BENCH_RULE": rule}) for rule in RULES},
}
TIMES, PAGES = "stacks", "stacks-pages"  # the families: for time, and for pages
AS_PAGES = "@pages"  # behind the label of the second
LARGEST_FIB = 36  # a child that is queued is most of what fib does


def jobs(asked, programs):
    names = [name for name in STRATEGIES if asked.strategies is None or name in asked.strategies
             or name == DEFAULT]
    programs_by = {(v.family, v.workload, v.name): v for v in programs.stacks
                   if asked.workloads is None or v.workload in asked.workloads}
    return [Job(f"{workload} {name}{suffix}", p, v.command(p, size_of(v, asked.size), 1),
                environment)
            for workload in dict.fromkeys(workload for _, workload, _ in programs_by)
            for family, suffix in ((TIMES, ""), (PAGES, AS_PAGES))
            for p in asked.workers_or([2, 8]) for name in names
            for front_end, environment in [STRATEGIES[name]]
            if (v := programs_by.get((family, workload, f"{family}-{front_end}"))) is not None]


def size_of(v, size):
    n = v.sizes[size]
    return min(n, LARGEST_FIB) if v.workload == "fib" else n


@dataclass(frozen=True)
class Kept:
    """A strategy in one program. None where that was not measured."""

    workload: str
    strategy: str
    workers: int
    ratio: Spread | None  # the time over that of the default
    pages: int | None  # the most in any round
    stacks: int | None


def kept(results):
    found = []
    for label, p in dict.fromkeys((label.removesuffix(AS_PAGES), p) for label, p in results.keys()):
        workload, strategy = label.split(" ")
        counts = [r["runtime"] for r in results.records(label + AS_PAGES, p)]
        found.append(Kept(workload, strategy, p,
                          results.ratio((label, p), (f"{workload} {DEFAULT}", p)),
                          max((c["stack_pages"] for c in counts), default=None),
                          max((c["peak_stacks_in_use"] for c in counts), default=None)))
    return found


def table(results):
    """One row for each program and strategy."""
    by_program = {}
    for k in kept(results):
        by_program.setdefault((k.workload, k.strategy), {})[k.workers] = k
    workers = sorted({p for found in by_program.values() for p in found})
    rows = []
    for (workload, strategy), found in by_program.items():
        row = [workload, strategy]
        for p in workers:
            k = found.get(p)
            row += [spread(k and k.ratio), *(number(None) if value is None else value
                                             for value in (k and k.pages, k and k.stacks))]
        rows.append(row)
    columns = [cell for p in workers for cell in (f"T_{p}/default", f"pages, P = {p}", "stacks")]
    return ["workload", "strategy", *columns], rows


def cases(results):
    """over_default: the time over that of the default strategy."""
    return [{"label": f"{k.workload} {k.strategy}", "workers": k.workers,
             "over_default": as_list(k.ratio), "stack_pages": k.pages, "stacks": k.stacks}
            for k in kept(results)]


STRATEGY = Figure("strategies", "ways to keep a cactus stack: time, and pages of stacks",
                  "Lee and others 2010, figure 2", jobs, table, lambda size, results: [], cases,
                  {"stacks": "stacks"})
