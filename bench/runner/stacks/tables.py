# SPDX-License-Identifier: Apache-2.0
"""Tables of what was measured of stacks."""

from dataclasses import dataclass

from ..ratios import Results, Space, Spread, space
from ..tables import number, spread
from .plan import DEFAULT, MAPPED, PAGES, PREFIX
from .published import PAGES_OF_EACH, WORKERS


@dataclass(frozen=True)
class Beside:
    """A program with the default stacks, and with mapped ones; None where one was not measured."""

    workload: str
    front_end: str
    default: Space | None
    mapped: Space | None


@dataclass(frozen=True)
class Timed:
    """The times of a program in both ways, and mapped over default."""

    label: str
    workers: int
    default: Spread
    mapped: Spread
    ratio: Spread


def shows_nothing(record):
    """Whether fewer stacks than workers were in use at a time. S_P is then that of fewer
    workers."""
    return record["runtime"]["peak_stacks_in_use"] < record["workers"]


def counted(results):
    """The runs in which each worker had a stack at one time, and for each program and number of
    workers without such a run the most stacks that were in use: (label, workers, stacks)."""
    told = [r for r in results.good if not shows_nothing(r)]
    kept = Results(told)
    refused = [(label, p, max(r["runtime"]["peak_stacks_in_use"]
                              for r in results.records(label, p)))
               for label, p in results.keys() if not kept.records(label, p)]
    return kept, refused


def _of_default(label):
    return label.replace(f" {MAPPED}", f" {DEFAULT}")


def pages(results):
    """What was counted of each program, by the runs that show something."""
    found = {s.label: s for s in space(counted(results)[0])}
    both = dict.fromkeys(map(_of_default, found))
    return [Beside(*label.split(f" {DEFAULT}"), found.get(label),
                   found.get(label.replace(f" {DEFAULT}", f" {MAPPED}"))) for label in both]


def times(results):
    found = []
    for label, workers in results.keys():
        default = (_of_default(label), workers)
        if default[0] != label and (ratio := results.ratio((label, workers), default)) is not None:
            found.append(Timed(default[0], workers, results.seconds(*default),
                               results.seconds(label, workers), ratio))
    return found


def table(name, results):
    """Header and rows of a section."""
    return _pages(results) if name == PREFIX + PAGES else _times(results)


def _pages(results):
    workers = sorted({p for _, p in results.keys() if p > 1})

    def cells(s):
        if s is None:
            return [number(None)] * (2 + len(workers))
        return [s.serial, *(number(s.each(p)) for p in workers), s.bound]

    rows = []
    for b in pages(results):
        depth = (b.default or b.mapped).depth
        rows.append([f"{b.workload} {b.front_end}", depth, *cells(b.default), *cells(b.mapped),
                     number(PAGES_OF_EACH.get(b.workload.split("(")[0]))])
    columns = ["S_1", *(f"S_{p}/{p}" for p in workers), "S_1 + D"]
    return ["workload and front end", "D", *columns, *(f"mapped: {c}" for c in columns),
            f"Cilk-M: S_{WORKERS}/{WORKERS}"], rows


def _times(results):
    return ["workload and front end", "P", "default, seconds", "mapped, seconds",
            "mapped/default"], [[t.label, t.workers, spread(t.default), spread(t.mapped),
                                 spread(t.ratio)] for t in times(results)]
