# SPDX-License-Identifier: Apache-2.0
"""Medians, spreads and ratios of the records of one section."""

from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True)
class Spread:
    """A median and how far the values lie apart."""

    median: float
    low: float
    high: float
    count: int

    @staticmethod
    def of(values):
        values = list(values)
        return Spread(median(values), min(values), max(values), len(values)) if values else None

    def as_list(self):
        return [self.median, self.low, self.high]


class Results:
    """The records of a section by (label, workers)."""

    def __init__(self, records):
        self.good = [r for r in records if "failure" not in r]
        self.failures = [r for r in records if "failure" in r]

    def keys(self):
        return list(dict.fromkeys((r["label"], r["workers"]) for r in self.good))

    def records(self, label, workers):
        return [r for r in self.good if r["label"] == label and r["workers"] == workers]

    def by_round(self, label, workers):
        """Round -> seconds, the median of the process's repetitions."""
        return {r["round"]: median(r["seconds"]) for r in self.records(label, workers)}

    def seconds(self, label, workers):
        return Spread.of(s for r in self.records(label, workers) for s in r["seconds"])

    def ratio(self, over, under):
        """Time of `over` by time of `under`, each (label, workers): formed in each round that has
        both.

        None if no round has.
        """
        a = self.by_round(*over)
        b = self.by_round(*under)
        return Spread.of(a[r] / b[r] for r in a if r in b)

    def compiler(self, label):
        """g++, clang, rustc; None where the records do not say."""
        said = next((r["build"]["compiler"]
                     for r in self.good if r["label"] == label and "build" in r), None)
        return said and said.split()[0]

    def by_same_compiler(self, label, labels):
        """Those of `labels` that the compiler of `label` has compiled; all where it has none of
        them."""
        return [other
                for other in labels if self.compiler(other) == self.compiler(label)] or list(labels)

    def peak_rss(self, label, workers):
        return max((r["peak_rss_bytes"] for r in self.records(label, workers)), default=None)

    def rss_of_workers(self, label, workers):
        """Peak beyond what the process had with its problem, before the workers started: a Rust
        process begins smaller than a C++ one. None where the records do not say."""
        return max((r["peak_rss_bytes"] - r["rss_before_workers_bytes"]
                    for r in self.records(label, workers)
                    if "rss_before_workers_bytes" in r), default=None)
