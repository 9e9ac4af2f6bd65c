# SPDX-License-Identifier: Apache-2.0
"""Two runs beside each other: the cases of two files, and whether one became faster or slower
beyond the noise."""

from dataclasses import dataclass
from statistics import median

import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from .documents import timed, titled
from .tables import number

FEWEST = 5  # values on each side; below, an interval says nothing
SEED, DRAWS = 1, 10_000  # of resampling: the same records give the same interval
QUANTILES = (0.025, 0.975)  # of 95 %
FASTER, SLOWER, SAME, TOO_FEW = "faster", "slower", "no change", "too few measurements to judge"
STYLES = {SLOWER: "red", FASTER: "green", SAME: "", TOO_FEW: "yellow"}
WIDE = 250  # more than any table takes: names are not cut, a narrow terminal wraps them
KEY = ("section", "n", "label", "workers")  # what makes two measurements comparable
MACHINE = {"cpu": "CPU", "processor": "processor", "cpus": "number of CPUs", "kernel": "kernel"}
BUILD = ("compiler", "flags")


def _said(key):
    section, n, label, workers = key
    return f"{titled(section, n)} {label}, P = {workers}"


@dataclass(frozen=True)
class Case:
    """One key in both files. ratio: median time in B by that in A; low and high: its 95 %
    interval."""

    key: tuple
    seconds_a: float
    seconds_b: float
    ratio: float
    low: float | None
    high: float | None
    values: tuple  # how many in A, in B

    @property
    def verdict(self):
        if self.low is None:
            return TOO_FEW
        return SLOWER if self.low > 1 else FASTER if self.high < 1 else SAME

    def beyond(self, bound):
        """Slower by more than the bound, noise taken off."""
        return self.verdict == SLOWER and self.low > bound


@dataclass(frozen=True)
class Comparison:
    a: object  # documents
    b: object
    cases: list  # worst first
    only: dict  # "a" and "b": key -> why the other does not have it, None where it was not tried
    untimed: list  # names of sections without times

    def warnings(self):
        """What differs besides the program: then the times tell less."""
        a, b = self.a.machine, self.b.machine
        found = [f"{name} differs: {a.get(key)} in A, {b.get(key)} in B"
                 for key, name in MACHINE.items() if a.get(key) != b.get(key)]
        labels_of = {}  # mostly they all differ in the same
        builds = [_builds(self.a), _builds(self.b)]
        for label in builds[0]:
            for part in BUILD if label in builds[1] else ():
                sides = tuple(", ".join(sorted({str(build.get(part)) for build in side[label]}))
                              for side in builds)
                if sides[0] != sides[1]:
                    labels_of.setdefault((part, *sides), []).append(label)
        found += [f"{part} differs: {in_a} in A, {in_b} in B ({', '.join(labels)})"
                  for (part, in_a, in_b), labels in labels_of.items()]
        # A serial program that changed says that the machine did, where nobody changed the program.
        return found + [f"the serial program itself is {c.verdict}: {_said(c.key)}, B/A = "
                        f"{c.ratio:.3g}; judge the others by that" for c in self.cases
                        if c.key[2] == "serial" and c.verdict in (SLOWER, FASTER)]

    def as_json(self, bound):
        """What print() prints, for json.dumps."""
        def of(key):
            return dict(zip(KEY, key))

        return {
            "a": str(self.a.path), "b": str(self.b.path), "bound": bound,
            "warnings": self.warnings(),
            "cases": [{**of(c.key), "seconds_a": c.seconds_a, "seconds_b": c.seconds_b,
                       "ratio": c.ratio, "low": c.low, "high": c.high, "values_a": c.values[0],
                       "values_b": c.values[1], "verdict": c.verdict,
                       "beyond_bound": c.beyond(bound)} for c in self.cases],
            **{f"only_in_{here}": [{**of(key), f"failure_in_{there}": why}
                                   for key, why in self.only[here].items()]
               for here, there in ("ab", "ba")},
            "not_compared": self.untimed,
        }

    def print(self, bound):
        """The cases as a table for people, and what is to be said about them."""
        console = Console(highlight=False, soft_wrap=True, width=WIDE)
        for name, document in (("A", self.a), ("B", self.b)):
            console.print(f"{name}: {escape(str(document.path))} ({document.started})")
        for text in self.warnings():
            console.print(f"[yellow]warning:[/] {escape(text)}")
        if self.cases:
            console.print(self._table(bound))
        for here, there in ("ab", "ba"):
            for key, failure in self.only[here].items():
                why = f"; in {there.upper()} it failed: {failure}" if failure else ""
                console.print(escape(f"only in {here.upper()}: {_said(key)}{why}"))
        if self.untimed:
            console.print("not compared, for they hold no times of a workload: "
                          f"{', '.join(self.untimed)}")
        counts = ", ".join(f"{sum(c.verdict == verdict for c in self.cases)} {verdict}"
                           for verdict in STYLES)
        beyond = sum(c.beyond(bound) for c in self.cases)
        console.print(f"\n{len(self.cases)} cases: {counts}; {beyond} slower beyond the bound "
                      f"{bound:g}" if self.cases else "no case is in both files")

    def _table(self, bound):
        table = Table(box=None, pad_edge=False, header_style="bold")
        for title in ("workload", "variant", "P", "A, s", "B, s", "B/A", "95 %", "values", ""):
            table.add_column(title, no_wrap=True, justify="right" if title not in (
                "workload", "variant", "") else "left")
        for c in self.cases:
            section, n, label, workers = c.key
            table.add_row(
                escape(titled(section, n)), escape(label), str(workers), number(c.seconds_a),
                number(c.seconds_b), number(c.ratio),
                number(None) if c.low is None else f"{number(c.low)}..{number(c.high)}",
                ", ".join(map(str, c.values)),
                c.verdict + (f", beyond {bound:g}" if c.beyond(bound) else ""),
                style=STYLES[c.verdict])
        return table


def compare(a, b):
    """All cases of two documents."""
    (times_a, failures_a), (times_b, failures_b) = _found(a), _found(b)
    cases = [_case(key, times_a[key], times_b[key]) for key in times_a if key in times_b]
    untimed = {s.name for document in (a, b) for s in document.sections
               if s.records and not any(map(timed, s.records))}
    return Comparison(a, b, sorted(cases, key=lambda c: (-c.ratio, c.key[0])),
                      {"a": {k: failures_b.get(k) for k in times_a if k not in times_b},
                       "b": {k: failures_a.get(k) for k in times_b if k not in times_a}},
                      sorted(untimed))


def _found(document):
    """Key -> a list of processes, each the list of its times; and key -> why it failed. A section
    without a size, such as reclaim, has workloads of several."""
    times, failures = {}, {}
    for section in document.sections:
        for record in section.records:
            n = record.get("n") if section.n is None else section.n
            key = (section.name, n, record["label"], record["workers"])
            if timed(record):
                times.setdefault(key, []).append(record["seconds"])
            if "failure" in record:
                failures[key] = record["failure"]
    return times, failures


def _builds(document):
    """Label -> the builds that it was measured with."""
    found = {}
    for record in (r for section in document.sections for r in section.records if "build" in r):
        found.setdefault(record["label"], []).append(record["build"])
    return found


def _interval(over, under):
    """The 95 % interval of median(over) / median(under); each is a list of processes, a process a
    list of values.

    Processes are drawn first, then values within each: repetitions within one process are more
    alike than processes are, and taken for independent they would make the interval too narrow.
    """
    generator = np.random.default_rng(SEED)
    ratios = _medians(over, generator) / _medians(under, generator)
    return tuple(map(float, np.quantile(ratios, QUANTILES)))


def _medians(processes, generator):
    lengths = np.array([len(values) for values in processes])
    longest = lengths.max()
    padded = np.array([list(values) + [0.0] * (longest - len(values)) for values in processes])
    chosen = generator.integers(len(processes), size=(DRAWS, len(processes)))
    positions = generator.random((DRAWS, len(processes), longest)) * lengths[chosen][:, :, None]
    drawn = padded[chosen[:, :, None], positions.astype(int)]
    return np.median(drawn.reshape(DRAWS, -1), axis=1)


def _case(key, processes_a, processes_b):
    values_a, values_b = ([s for seconds in processes for s in seconds]
                          for processes in (processes_a, processes_b))
    counts = (len(values_a), len(values_b))
    interval = ((None, None) if min(counts) < FEWEST
                else _interval(processes_b, processes_a))
    return Case(key, median(values_a), median(values_b), median(values_b) / median(values_a),
                *interval, counts)
