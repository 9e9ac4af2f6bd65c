# SPDX-License-Identifier: Apache-2.0
"""What nopal promises to reach, and whether what was measured does.

A rule looks at what is kept of a section; what was not measured is left out.
"""

import re
from dataclasses import dataclass
from statistics import geometric_mean

from .tables import Table, middle, number

OWN, PEERS = "nopal.*", r"(?!nopal|serial|elision).*"
# Those whose work is not next to nothing beside the forks.
CLASSIC = "cholesky|cilksort|fft|heat|knapsack|lu|matmul|nqueens|quicksort|rectmul|strassen"
NO_PARALLELISM = "loop|spawn|stm-.*|stacks-.*|pool-.*"  # or no workload
LACE = "skynet|nqueens|uts_geometric|uts_binomial|matmul|cilksort"


@dataclass(frozen=True)
class Rule:
    """Of each section the worst case counts, or the best; or the geometric mean of all cases, or of
    the best in each section."""

    sections: str  # patterns
    labels: str
    key: str  # of a case, such as over.mapped
    must: float | None
    aim: float | None
    at_most: bool = True  # else: at least
    workers: int | None = None
    best: bool = False
    mean: bool = False
    size: str | None = None  # None: any


RULES = (
    Rule("fib", "nopal-invoke", "over_serial", 2.5, 2.0, workers=1),
    Rule("fib", "nopal-frame", "over_serial", 3.2, 2.5, workers=1),
    Rule(CLASSIC, OWN, "over_serial", 1.05, 1.01, workers=1, best=True, mean=True),
    Rule("fib|nqueens|integrate", "nopal-(invoke|frame|task)", "speedup", 1.90, 1.98, False, 2),
    Rule(f"(?!{NO_PARALLELISM}).*", OWN, "speedup", 1.85, 1.97, False, 2, True),
    Rule("(?!stm-|stacks-|pool-).*", PEERS, "over_nopal", 0.97, 1.0, False),
    Rule("fib|skynet", "chili", "over_nopal", 1.0, 1.2, False),
    Rule("fib|skynet", "rayon", "over_nopal", 2.5, None, False),
    Rule(LACE, "lace-spawn", "over_nopal", 1.0, 1.2, False),
    Rule("fib", "lace-spawn", "over_nopal", 0.75, 1.0, False),
    Rule("fib", "tbb-.*|openmp-.*", "over_nopal", 15, 30, False),
    Rule("fib", "libfork-.*", "over_nopal", 4, 6, False),
    Rule("loop", OWN, "over_short_mb", 1.0, 0.1),
    Rule("fib|uts_binomial", OWN, "rss_over_peer", 1.0, 0.5, workers=2, best=True),
    Rule("fork_price", ".*invoke.*", "median", 2.5, 2.0),
    Rule("fork_price", ".*frame.*", "median", 3.2, 2.5),
    Rule("idle_cpu", ".*", "median", 0.5, 0.05),
    Rule("wakeup_latency", "wake-up.*", "median", None, 30),
    Rule("steal_latency", ".*", "median", None, 1000),
    Rule("signal_latency", "signal_and_end.*", "median", None, 100),
    Rule("space|stacks-pages", ".*", "over_bound.default", 1.0, None),
    Rule("stacks-pages", ".*", "over_bound.mapped", 1.0, None),
    Rule("stacks-pages", ".*", "over_paper", 1.0, None, size="paper"),
    Rule("stacks-memory", ".*", "over_paper.default", None, 1.0, size="paper"),
    Rule("stacks-memory", ".*", "over_paper.mapped", None, 1.0, size="paper"),
    Rule("stacks-time", ".*", "over.mapped", 1.05, 1.0),
    Rule("stacks-reclaim", ".*", "over.adaptive", 1.03, 1.0),
    Rule("stacks-joins", ".*", "over.locked", 1.0, 1.0, False, mean=True),
    *(Rule("stacks-joins", ".*", f"over.{kind}", None, 1.0, False, mean=True)
      for kind in ("the", "the-locked", "abp", "fenced")),
    Rule("pool-throughput", "salsa-cas (1/1|2/2)", "compared", 1.5, 1.7, False),
    Rule("pool-throughput", "concurrent-bag (1/1|2/2)", "compared", 2, 3.5, False),
    Rule("pool-throughput", "(ms-queue|lifo-stack) (1/1|2/2)", "compared", 6, 20, False),
    Rule("pool-throughput", "(moodycamel|.*-queue|mutex-deque) (1/1|2/2)", "compared", 1, 2, False),
    Rule("pool-one-producer", "salsa 1/.*", "over_one", 0.9, None, False),
    Rule("stm-(vacation-low|vacation-high|yada)[+]", "table-20", "over_inline", 1.2, None, False, 1),
    Rule("stm-intruder[+]?", "table-20", "over_inline", 1.1, None, False, 1),
    Rule("stm-(?!one-var).*", "libitm-ml_wt", "over_inline", 1.5, 3, False),
    Rule("stm-(?!one-var).*", "serial", "over_inline", 0.4, 0.625, False, 1),
    Rule("stm-(?!one-var).*", "mutex", "over_inline", None, 1, False, 2),
    Rule("stm-vacation-low", "inline", "speedup", 1.7, 1.9, False, 2),
    # The paper has 1.7 to 2. Where the processor fetches both lines at once it is 1.
    Rule("stm-locality", "locality-far", "over_near", 1.5, 1.7, False, 1),
    Rule("stm-misses", "vacation-high inline", "over_table", 0.76, None),
    Rule("stm-misses", "intruder.* inline", "over_table", 0.6, None),
    Rule("stm-misses", "yada.* inline", "over_table", 0.67, None),
    Rule("stm-read-sets", "inline", "over_table", 0.55, None),
)


@dataclass(frozen=True)
class Target:
    what: str
    measured: float
    must: float | None
    aim: float | None
    at_most: bool

    def reaches(self, bound):
        return self.measured <= bound if self.at_most else self.measured >= bound

    @property
    def verdict(self):
        if self.must is not None and not self.reaches(self.must):
            return "MISSED"
        if self.aim is None or self.reaches(self.aim):
            return "reached"
        return "must reached, aim not" if self.must is not None else "aim not reached"


def judged(sections, size, rules=RULES):
    """The targets of what was measured."""
    for rule in rules:
        of_sections = [of for section in sections if rule.size in (None, size)
                       and re.fullmatch(rule.sections, section.name)
                       and (of := list(_values(rule, section)))]
        picked = [(min if rule.best == rule.at_most else max)(of) for of in of_sections]
        if rule.mean and picked:
            values = [value for value, _ in picked] if rule.best else [
                value for of in of_sections for value, _ in of]
            picked = [(geometric_mean(values),
                       f"{rule.sections}: {rule.key}, geometric mean of {len(values)}")]
        for value, what in picked:
            yield Target(what, value, rule.must, rule.aim, rule.at_most)


def _values(rule, section):
    for c in section.cases:
        value = c
        for key in rule.key.split("."):
            value = (value or {}).get(key)
        if (value is not None and re.fullmatch(rule.labels, c["label"])
                and rule.workers in (None, c.get("workers"))):
            workers = f", P = {c['workers']}" if "workers" in c else ""
            yield middle(value), f"{section.title}, {c['label']}{workers}: {rule.key}"


def table(found):
    """A row for each target."""
    def bound(target, value):
        return number(None) if value is None else f"{'≤' if target.at_most else '≥'} {value:g}"

    return Table(["target", "measured", "must", "aim", "verdict"],
                 [[t.what, number(t.measured), bound(t, t.must), bound(t, t.aim), t.verdict]
                  for t in found])
