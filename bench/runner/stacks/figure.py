# SPDX-License-Identifier: Apache-2.0
"""What a figure about stacks is: how it is measured, what is kept of it, and how it is shown."""

from dataclasses import dataclass
from statistics import geometric_mean

from ..charts import Bars
from ..measure import Job
from ..ratios import digits, without_none
from ..tables import SERIAL, nested, number, pivot, spread
from .published import drawn

PREFIX = "stacks-"
MOST_SERIES = 6  # that can be told from each other


@dataclass(frozen=True)
class Figure:
    """A figure of a paper, measured anew. What is kept of its records, its cases, is all that the
    rest is made of. A label is fib frame@mapped: a program, and the way that is compared."""

    name: str
    what: str
    origin: str  # the figure of the paper
    needs: tuple = ()  # families of programs
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

    def charts(self, section):
        """Its pictures."""
        return ()

    def refusals(self, results):
        """A line for each program whose runs show nothing."""
        return []


@dataclass(frozen=True)
class Compared(Figure):
    """Times of programs in several ways, over the time in one of them."""

    reference: str = "default"
    ways: dict | None = None  # the others -> what a column calls them
    ratio: str = "time over the default's"
    counts: tuple = ()  # names of what else is kept of each way
    means: bool = True  # whether the table ends with geometric means

    def counted(self, results, program, way, workers):
        """The numbers of `counts`. None for what was not counted."""
        return [None for _ in self.counts]

    def cases(self, results):
        """over: the time of each way over that of the reference; counts: numbers of each way, as
        the figure says; speedup: T_s/T_P of the reference."""
        found = []
        programs = dict.fromkeys((label.split("@")[0], p) for label, p in results.keys()
                                 if not label.endswith(f"@{SERIAL}"))
        for program, p in programs:
            reference = f"{program}@{self.reference}", p
            over = {way: ratio for way in self.ways
                    if (ratio := results.ratio((f"{program}@{way}", p), reference))}
            counts = {way: [digits(n) for n in numbers] for way in (self.reference, *self.ways)
                      if any(numbers := self.counted(results, program, way, p))}
            if over or counts:
                found.append(without_none({
                    "label": program, "workers": p,
                    "rounds": max((ratio.number for ratio in over.values()), default=1),
                    "over": over, "counts": counts or None,
                    "speedup": results.ratio((f"{workload_of(program)}@{SERIAL}", 1), reference)}))
        return found

    def table(self, section):
        """A row for each program, a column for each way and number of workers."""
        def column(c, what):
            return f"{what}, P = {c['workers']}".removeprefix(", ")

        ratios = [(c["label"], column(c, self.ways[way]), ratio) for c in section.cases
                  for way, ratio in c["over"].items()]
        table = pivot(self.ratio, ratios, means=self.means)
        for what, cells in nested(
                (column(c, what), c["label"], cell) for c in section.cases for what, cell in (
                    *([("T_s/T_P", spread(c["speedup"]))] if "speedup" in c else []),
                    *((f"{name}, {way}", number(n)) for way, of in c.get("counts", {}).items()
                      for name, n in zip(self.counts, of)))).items():
            table.header.append(what)
            for row in table.rows:
                row.append(cells.get(row[0], number(None)))
        return table

    def charts(self, section):
        """For each number of workers; and what was counted with the most."""
        for p in workers_of(section.cases):
            cases = [c for c in section.cases if c["workers"] == p]
            yield self.picture(p, nested((c["label"], self.ways[way] or self.ratio, ratio)
                                         for c in cases for way, ratio in c["over"].items()))
        for place, name in enumerate(self.counts):
            yield Bars(f"{self.name}-{name.replace(' ', '-')}", f"{name.capitalize()} of one run "
                       f"with {p} workers; no bar means 0.", f"{name}, P = {p}", _turned(drawn(
                           {c["label"]: {way: of[place] or 0 for way, of in c["counts"].items()}
                            for c in cases if "counts" in c})))

    def picture(self, workers, rows):
        return Bars(f"{self.name}-{workers}", f"{self.what[0].upper()}{self.what[1:]}, {workers} "
                    "workers.", f"{self.ratio}, P = {workers}", _turned(drawn(rows)), 1)


def _turned(rows):
    """Many series become rows, and the rows series."""
    if max(map(len, rows.values()), default=0) <= MOST_SERIES:
        return rows
    return nested((name, row, value) for row, of in rows.items() for name, value in of.items())


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

    def job(self, v, way, workers=1, environment=None, n=None, program=None):
        """One measurement of a program."""
        return Job(f"{program or program_of(v)}@{way}", workers,
                   v.command(workers, n or v.sizes[self.size], 1), environment or {})

    def serial(self, programs, workload, n=None, environment=None):
        """That of the serial program, as a list that may be empty."""
        return [self.job(v, SERIAL, 1, environment, n, f"{workload}({n})" if n else workload)
                for v in programs.variants if (v.workload, v.name) == (workload, SERIAL)]

    def has(self, v, workloads=None):
        """Whether a program takes part. workloads: where nobody asks for some."""
        names = self.workloads or workloads
        return ((names is None or v.workload in names)
                and (self.front_ends is None or front_end(v) in self.front_ends))


def front_end(variant):
    """invoke, frame, for."""
    return variant.name.rsplit("-", 1)[-1]


def program_of(variant):
    """fib frame."""
    return f"{variant.workload} {variant.name.removeprefix(f'{variant.family}-')}"


def in_turn(variants):
    """What is compared with each other comes one after the other."""
    groups = nested((program_of(v), v, None) for v in variants)
    return [v for group in groups.values() for v in group]


def workload_of(label):
    return label.split(" ")[0]


def workers_of(cases):
    return sorted({c["workers"] for c in cases})


def summary(entries):
    """For a row of a table: how many ratios, their geometric mean, the most, and of which program.
    entries: pairs of ratio and program."""
    if not entries:
        return [number(None)] * 4
    most, program = max(entries)
    return [len(entries), number(geometric_mean(ratio[0] for ratio, _ in entries)), spread(most),
            program]


SUMMARY = ("programs", "geometric mean", "the most", "by")


def whole(value):
    return "–" if value is None else f"{value:.0f}"
