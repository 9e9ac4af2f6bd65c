# SPDX-License-Identifier: Apache-2.0
"""The cases of two files, and whether one became faster or slower beyond the noise."""

from dataclasses import dataclass
from statistics import median

from ..bootstrap import median_ratio_interval
from ..documents import timed, titled

FEWEST = 5  # values on each side; below, an interval says nothing
FASTER, SLOWER, SAME, TOO_FEW = "faster", "slower", "no change", "too few measurements to judge"


@dataclass(frozen=True, order=True)
class Key:
    """What makes two measurements comparable."""

    section: str
    n: int | None
    label: str
    workers: int

    def __str__(self):
        return f"{titled(self.section, self.n)} {self.label}, P = {self.workers}"


@dataclass(frozen=True)
class Case:
    """One key in both files. ratio: median time in B by that in A; low and high: its 95 %
    interval."""

    key: Key
    a: float
    b: float
    ratio: float
    low: float | None
    high: float | None
    verdict: str
    values: tuple  # how many in A, in B

    def beyond(self, bound):
        """Slower by more than the bound, noise taken off."""
        return self.verdict == SLOWER and self.low > bound


@dataclass(frozen=True)
class Comparison:
    cases: list  # worst first
    only_a: dict  # key -> why B does not have it, None where it was not tried
    only_b: dict
    untimed: list  # names of sections without times


def compare(a, b):
    """All cases of two documents."""
    times_a, times_b = _times(a), _times(b)
    both = [key for key in times_a if key in times_b]
    cases = sorted((_case(key, times_a[key], times_b[key]) for key in both),
                   key=lambda c: (-c.ratio, c.key.section))
    failures_a, failures_b = _failures(a), _failures(b)
    return Comparison(cases, {k: failures_b.get(k) for k in times_a if k not in times_b},
                      {k: failures_a.get(k) for k in times_b if k not in times_a},
                      sorted(_untimed(a) | _untimed(b)))


def _keyed(document):
    """All records with their keys. A section without a size, such as reclaim, has workloads of
    several."""
    for section in document.sections:
        for record in section.records:
            n = record.get("n") if section.n is None else section.n
            yield Key(section.name, n, record["label"], record["workers"]), record


def _times(document):
    """Key -> a list of processes, each the list of its times."""
    times = {}
    for key, record in _keyed(document):
        if timed(record):
            times.setdefault(key, []).append(record["seconds"])
    return times


def _failures(document):
    return {key: record["failure"] for key, record in _keyed(document) if "failure" in record}


def _untimed(document):
    return {s.name for s in document.sections if s.records and not any(map(timed, s.records))}


def _case(key, processes_a, processes_b):
    values_a, values_b = ([s for seconds in processes for s in seconds]
                          for processes in (processes_a, processes_b))
    a, b = median(values_a), median(values_b)
    low = high = None
    verdict = TOO_FEW
    if min(len(values_a), len(values_b)) >= FEWEST:
        low, high = median_ratio_interval(processes_b, processes_a)
        verdict = SLOWER if low > 1 else FASTER if high < 1 else SAME
    return Case(key, a, b, b / a, low, high, verdict, (len(values_a), len(values_b)))
