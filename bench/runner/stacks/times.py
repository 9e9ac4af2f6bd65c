# SPDX-License-Identifier: Apache-2.0
"""The time with mapped stacks over that with the default ones (Lee and others 2010, figure 8)."""

from dataclasses import dataclass

from ..kept import as_list
from ..measure import Job
from ..ratios import Spread
from ..tables import spread
from ..targets import Target
from .figure import DEFAULT, MAPPED, Figure, in_turn, of_default, short


def jobs(asked, programs):
    """The programs with mapped stacks, and those that are the same with the default ones."""
    names = {(v.workload, v.name.replace(MAPPED, DEFAULT)) for v in programs.mapped}
    both = [v for v in programs.variants if (v.workload, v.name) in names] + programs.mapped
    return [Job(f"{v.workload} {v.name}", p, v.command(p, v.sizes[asked.size], 1))
            for v in in_turn([v for v in both if asked.has(v)]) for p in asked.workers_or([2])]


@dataclass(frozen=True)
class Timed:
    """The times of a program in both ways, and mapped over default."""

    label: str  # fib nopal-frame
    workers: int
    default: Spread
    mapped: Spread
    ratio: Spread


def timed(results):
    found = []
    for label, workers in results.keys():
        default = (of_default(label), workers)
        if default[0] != label and (ratio := results.ratio((label, workers), default)) is not None:
            found.append(Timed(default[0], workers, results.seconds(*default),
                               results.seconds(label, workers), ratio))
    return found


def table(results):
    return ["workload and front end", "P", "default, seconds", "mapped, seconds",
            "mapped/default"], [[short(t.label), t.workers, spread(t.default), spread(t.mapped),
                                 spread(t.ratio)] for t in timed(results)]


def targets(size, results):
    for t in timed(results):
        yield Target(f"{short(t.label)}, mapped over default, P = {t.workers}", t.ratio.median,
                     1.05, 1.0, True)


def cases(results):
    """over_default: the time with mapped stacks over that with the default ones."""
    return [{"label": t.label, "workers": t.workers, "rounds": t.ratio.count,
             "over_default": as_list(t.ratio)} for t in timed(results)]


TIME = Figure("time", "time with mapped stacks over that with the default ones",
              "Lee and others 2010, figure 8", jobs, table, targets, cases,
              {"mapped": "nopal-mapped"})
