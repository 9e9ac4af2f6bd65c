# SPDX-License-Identifier: Apache-2.0
"""Ways to keep a cactus stack: time, and the most pages of stacks (Lee and others 2010, figure 2;
docs/stacks.md).

The default is a new stack for whatever is stolen, whose stale pages are given back where the space
bound needs it. Frames that wait steal children and not continuations; so new_stack is child
stealing that takes new stacks, beside which they stand.
"""

from ..charts import Bars
from ..programs import STACKS
from ..tables import Table, nested, spread
from .figure import Figure, by_workers, whole, workers_of, workload_of

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
    return timed_and_counted(asked, programs, asked.workers_or([2, 8]), {
        name: of for name, of in STRATEGIES.items()
        if asked.strategies is None or name in (DEFAULT, *asked.strategies)})


def timed_and_counted(asked, programs, workers, ways):
    """Every way of each workload for time, then for pages. ways: name -> the front end, and what
    the environment sets."""
    programs_by = {(v.family, v.workload, v.name): v for v in programs.of(*STACKS)
                   if asked.workloads is None or v.workload in asked.workloads}
    return [asked.job(v, p, f"{workload} {name}{suffix}", environment, _size(v, asked.size))
            for workload in dict.fromkeys(workload for _, workload, _ in programs_by)
            for family, suffix in ((TIMES, ""), (PAGES, AS_PAGES))
            for p in workers for name, (front_end, environment) in ways.items()
            if (v := programs_by.get((family, workload, f"{family}-{front_end}"))) is not None]


def _size(v, size):
    return min(v.sizes[size], LARGEST_FIB) if v.workload == "fib" else v.sizes[size]


def cases(results):
    """over_default: the time over that of the default strategy. Pages of stacks, and stacks, the
    most in any round."""
    found = []
    for label, p in dict.fromkeys((label.removesuffix(AS_PAGES), p) for label, p in results.keys()):
        counts = [r["runtime"] for r in results.records(label + AS_PAGES, p)]
        default = (f"{workload_of(label)} {DEFAULT}", p)
        found.append({"label": label, "workers": p,
                      "over_default": results.ratio((label, p), default),
                      "stack_pages": max((c["stack_pages"] for c in counts), default=None),
                      "stacks": max((c["peak_stacks_in_use"] for c in counts), default=None)})
    return found


def table(section):
    """Time with the fewest workers, which have a CPU each at best, pages with the most."""
    workloads = list(dict.fromkeys(workload_of(c["label"]) for c in section.cases))
    workers = workers_of(section)
    rows = []
    for strategy in STRATEGIES:
        few, many = ([section.case(f"{workload} {strategy}", p) for workload in workloads]
                     for p in (workers[0], workers[-1]))
        if any(few) or any(many):
            rows.append([strategy, *(spread(c and c.get("over_default")) for c in few),
                         *(whole(c and c.get("stack_pages")) for c in many)])
    return Table(["strategy", *(f"{workload}, T_{workers[0]}/default" for workload in workloads),
                  *(f"{workload}, pages, P = {workers[-1]}" for workload in workloads)], rows)


def charts(section):
    for p, found in by_workers(section, "over_default").items():
        rows = nested((*reversed(label.split(" ")), ratio) for label, ratio in found.items())
        yield Bars(f"strategies-{p}", f"Time of each strategy over that of the default, {p} "
                   "workers.", f"time over default, P = {p}", rows, 1)


STRATEGY = Figure("strategies", "ways to keep a cactus stack: time, and pages of stacks",
                  "Lee and others 2010, figure 2", jobs, cases, table, charts,
                  needs=("stacks",),
                  note="Strategies whose frames wait queue and steal children, which has a price "
                       "of its own: compare them with `new_stack`, child stealing on new stacks.")
