# SPDX-License-Identifier: Apache-2.0
"""What a figure is, and what the command line asks of it."""

from dataclasses import dataclass
from typing import Callable

from ..measure import Job
from ..tables import SERIAL, nested

PREFIX = "stacks-"
DEFAULT, MAPPED = "nopal-", "nopal-mapped-"


@dataclass(frozen=True)
class Figure:
    """A figure of a paper, measured anew. What is kept of its records, its cases, is all that the
    rest is made of."""

    name: str
    what: str
    origin: str  # the figure of the paper
    jobs: Callable  # (Asked, Programs) -> the jobs that are compared with each other
    cases: Callable  # Results -> what bench/results.json keeps
    table: Callable  # the cases' section -> Table
    charts: Callable = lambda section: ()  # -> its pictures
    targets: Callable = lambda size, cases: ()  # -> what nopal promises to reach
    needs: tuple = ()  # families of programs
    # Results -> a line for each program whose runs show nothing
    refusals: Callable = lambda results: []
    note: str = ""  # what a reader of its table has to know

    @property
    def section(self):
        return PREFIX + self.name

    def lacks(self, programs):
        """Why it cannot be measured; None where all is there."""
        for family in self.needs:
            if not programs.of(family):
                return (f"the programs of {family} are not there: "
                        f"{programs.absent.get(family, 'they have not been built')}")
        return None


@dataclass(frozen=True)
class Asked:
    """By the command line. None: what the figure takes where nobody asks."""

    size: str
    reclaim: str = "adaptive"
    workers: list | None = None
    workloads: list | None = None
    front_ends: list | None = None
    strategies: list | None = None

    def workers_or(self, numbers):
        return sorted(set(self.workers or numbers))

    def job(self, v, workers=1, label=None, environment=None, n=None):
        """One measurement of a program."""
        return Job(label or f"{v.workload} {v.name}", workers,
                   v.command(workers, n or v.sizes[self.size], 1), environment or {})

    def has(self, v, workloads=None):
        """Whether a program takes part. workloads: where nobody asks for some."""
        names = self.workloads or workloads
        return ((names is None or v.workload in names)
                and (self.front_ends is None or front_end(v) in self.front_ends))


def front_end(variant):
    """invoke, frame, for."""
    return front_end_of(variant.name)


def serial_of(programs, workload):
    """The serial program, as a list that may be empty."""
    return [v for v in programs.variants if (v.workload, v.name) == (workload, SERIAL)]


def in_turn(variants):
    """What is compared with each other comes one after the other."""
    groups = nested(((v.workload, front_end(v)), v, None) for v in variants)
    return [v for group in groups.values() for v in group]


def of_default(label):
    """The label of the same program with the default stacks."""
    return label.replace(f" {MAPPED}", f" {DEFAULT}")


def short(label):
    """fib frame: the workload and the front end."""
    return of_default(label).replace(f" {DEFAULT}", " ")


def workload_of(label):
    return label.split(" ")[0]


def front_end_of(label):
    """frame, of a label such as fib nopal-frame, or fib frame."""
    return label.rsplit(" ", 1)[-1].rsplit("-", 1)[-1]


def by_workers(section, key):
    """{workers: {label: what a case has by that key}}, of those that have it."""
    return dict(sorted(nested((c["workers"], c["label"], c[key])
                              for c in section.cases if c.get(key)).items()))


def workers_of(section):
    return sorted({c["workers"] for c in section.cases})


def whole(value):
    return "–" if value is None else f"{value:.0f}"
