# SPDX-License-Identifier: Apache-2.0
"""nopal against each peer in one figure, and every single case in which it loses."""

from dataclasses import dataclass
from statistics import geometric_mean

from ..bootstrap import geometric_mean_interval
from ..ratios import Spread
from ..tables import number, spread
from .contents import Part, Table, Text, missing
from .libraries import NOPAL, order


@dataclass(frozen=True)
class Case:
    """A way to use a peer beside nopal's best. ratio: the peer's time by nopal's, so below 1 nopal
    loses."""

    workload: str
    title: str
    workers: int
    library: str
    label: str
    nopal: str
    ratio: Spread


def part(measured):
    cases = all_cases(measured)
    failures = nopal_failures(measured)
    if not cases and not failures:
        return Part("summary", "nopal against its peers", [missing(
            "no workload has both nopal and a peer", "./run bench")])
    return Part("summary", "nopal against its peers", [
        Text("T_peer/T_nopal: how many times nopal's time the peer takes; below 1, nopal loses. Of "
             "nopal's variants "
             "the best for each workload counts, of those by the peer's compiler where there are "
             "any, and of several "
             "ways to use a peer the fastest for each workload. A peer that gave no result has no "
             "ratio, and stands "
             "under what is absent."),
        _summary_table(measured, cases), *_losses(cases, failures)])


def fastest(workload, labels):
    """The label with the least time, geometric mean over the numbers of workers; one that has them
    all goes first."""
    results = workload.results

    def rank(label):
        times = [results.seconds(label, p).median
                 for p in workload.workers() if results.records(label, p)]
        return -len(times), geometric_mean(times)

    return min(labels, key=rank)


def all_cases(measured):
    """Every way to use a peer, for every workload and number of workers where nopal was measured in
    the same rounds."""
    cases = []
    for w in measured.workloads:
        ours = w.labels(NOPAL)
        if not ours:
            continue
        for label in w.labels():
            if label in ours:
                continue
            best = fastest(w, w.results.by_same_compiler(label, ours))
            for p in w.workers():
                ratio = w.results.ratio((label, p), (best, p))
                if ratio is not None:
                    cases.append(Case(w.name, w.title, p, w.library(label), label, best, ratio))
    return cases


def nopal_failures(measured):
    """Measurements of nopal that gave no time: the worst way to lose."""
    found = {}
    for w in measured.workloads:
        for r in w.results.failures:
            if r["label"].startswith("nopal-"):
                found[(w.title, r["label"], r["workers"])] = r["failure"]
    return found


def _summary_table(measured, cases):
    ways = {(w.title, library): fastest(w, w.labels(library))
            for w in measured.workloads for library in {w.library(label) for label in w.labels()}}
    counted = [c for c in cases if ways[(c.title, c.library)] == c.label]
    rows = []
    for library in sorted({c.library for c in counted}, key=order):
        for p in measured.workers():
            mine = [c for c in counted if (c.library, c.workers) == (library, p)]
            if mine:
                rows.append([library, p, len(mine), *_mean(mine),
                             sum(c.ratio.median < 1 for c in mine)])
    return Table("T_peer/T_nopal as geometric mean, in which each workload counts once. The "
                 "interval is from drawing "
                 "workloads with replacement; one workload gives none",
                 ["peer", "P", "cases", "T_peer/T_nopal", "95 %", "nopal loses"], rows)


def _mean(cases):
    """The geometric mean of the cases of one peer, and its interval, as cells."""
    by_workload = {}
    for c in cases:
        by_workload.setdefault(c.workload, []).append(c.ratio.median)
    means = [geometric_mean(ratios) for ratios in by_workload.values()]
    interval = geometric_mean_interval(means)
    between = "–" if interval is None else f"{number(interval[0])}..{number(interval[1])}"
    return number(geometric_mean(means)), between


def _losses(cases, failures):
    lost = sorted((c for c in cases if c.ratio.median < 1), key=lambda c: c.ratio.median)
    for (title, label, p), why in failures.items():
        yield Text(f"nopal gave no result: {title} {label}, P = {p}: {why}", "warning")
    if not lost:
        yield Text("nopal loses no case." if not failures else "Else nopal loses no case.")
        return
    rows = [[c.title, c.label, c.nopal, c.workers, spread(c.ratio), c.ratio.count,
             "every round" if c.ratio.high < 1 else "the median"] for c in lost]
    yield Table(f"Every case in which nopal loses, {len(lost)} of {len(cases)}, worst first. All "
                "ways to use a peer "
                "count here, also those that another way outdoes",
                ["workload", "peer", "nopal", "P", "T_peer/T_nopal, median (range)", "rounds",
                 "lost in"], rows,
                names=3)
