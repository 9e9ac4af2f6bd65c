# SPDX-License-Identifier: Apache-2.0
"""Medians, spreads and ratios of the records of one section, and as bench/results.json keeps
them."""

from statistics import median

from .libraries import NOPAL
from .tables import SERIAL


def _median(values):
    return median(found) if (found := list(values)) else None


def _runs(record):
    """Of a process: its repetitions, and the warm-up unless there was none or it is one of
    them."""
    warm_up = record.get("warm_up_seconds")
    return len(record["seconds"]) + (warm_up not in (None, record["seconds"][0]))


class Spread(list):
    """[median, lowest, highest] of values, of which there are `number`."""

    def __init__(self, values):
        super().__init__([median(values), min(values), max(values)])
        self.number = len(values)

    @property
    def median(self):
        return self[0]

    @staticmethod
    def of(values):
        """None where there are no values."""
        values = list(values)
        return Spread(values) if values else None


class Results:
    """The records of a section by (label, workers)."""

    def __init__(self, records):
        self.good = [r for r in records if "failure" not in r]
        self.failures = [r for r in records if "failure" in r]

    def keys(self):
        return list(dict.fromkeys((r["label"], r["workers"]) for r in self.good))

    @property
    def labels(self):
        return list(dict.fromkeys(r["label"] for r in self.good))

    @property
    def own(self):
        """nopal's variants, but for those in another size."""
        return [label for label in self.labels if label.startswith(NOPAL) and "@" not in label]

    @property
    def peers(self):
        return [label for label in self.labels
                if not label.startswith((SERIAL, "elision", NOPAL))]

    @property
    def serials(self):
        """The serial program by each compiler."""
        return [label for label in self.labels if label in (SERIAL, f"{SERIAL}-llvm")]

    def best(self, labels, workers):
        """The label with the least median time; None where none was measured."""
        times = {label: time.median for label in labels if (time := self.seconds(label, workers))}
        return min(times, key=times.get, default=None)

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

    def total_per_run(self, label, workers, key):
        """One of nopal's counts for one run of the workload, median of the records. nopal counts
        since the start of its runtime, and so the warm-up as well."""
        return _median(r["runtime"]["total"][key] / _runs(r)
                       for r in self.records(label, workers) if r.get("runtime"))

    def page_faults_per_run(self, label, workers):
        """Minor page faults for one run. The kernel's figures leave out a warm-up that does not
        count as a repetition."""
        return _median(r["usage"]["minor_page_faults"] / len(r["seconds"])
                       for r in self.records(label, workers) if r.get("usage"))

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


# --- as they are kept


def digits(value):
    """Three, and no more zeros than are needed."""
    if value is None:
        return None
    rounded = float(f"{value:.3g}")
    return int(rounded) if rounded == int(rounded) else rounded


def rounded(value):
    """A case, or what is in it, with three digits in each number that is no integer."""
    if isinstance(value, dict):
        return {key: rounded(of) for key, of in value.items()}
    if isinstance(value, list):
        return [rounded(of) for of in value]
    return digits(value) if isinstance(value, float) else value


def megabytes(value):
    return None if value is None else digits(value / 1e6)


def without_none(case):
    return {key: value for key, value in case.items() if value is not None}
