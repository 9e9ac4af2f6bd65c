# SPDX-License-Identifier: Apache-2.0
"""Joins and deques with locks against wait-free ones (Pfeiffer 2020, figure 5.2): over the papers'
programs, and those of run_variants.py, which has more deques and one program."""

from ...ratios import Results
from ...stacks.joins import JOINS, KINDS, joined
from ...tables import SERIAL, number, spread
from .. import draw
from ..contents import Picture, Table, Text, missing
from ..libraries import BASELINE, COLOURS, NOPAL
from ..measured import as_name, build_of
from . import bars
from .section import lacks, records_of

WAIT_FREE, LOCKED = "waitfree", "locked"
LOOKS = {WAIT_FREE: {"color": COLOURS[NOPAL][0], "linestyle": "solid"},
         LOCKED: {"color": COLOURS[BASELINE][0], "linestyle": (0, (4, 1.5)),
                  "markerfacecolor": "none"}}
MARKERS = "osD^vPX"


def items(measured):
    results = records_of(measured, JOINS)
    found = [] if results is None else joined(results)
    return [*(_of_programs(found, results) if found else [lacks(JOINS)]),
            *_of_all_deques(measured)]


def _of_programs(found, results):
    yield Text("The same programs, with nopal built with a lock in each join, with the deque of "
               "the THE protocol, and with both. Above 1, the lock takes longer.")
    for p in sorted({j.workers for j in found}):
        rows = {j.label: {KINDS[kind]: ratio.median for kind, ratio in j.ratios.items()}
                for j in found if j.workers == p}
        said = "; ".join(f"{label}: " + ", ".join(f"{kind} {number(value)}"
                                                  for kind, value in of.items())
                         for label, of in rows.items())
        yield Picture(f"locked-{p}",
                      f"Bars: time with locks over that of the default build, P = {p}. {said}",
                      f"Time with locks over that of the default build, {p} workers; medians.",
                      bars.grouped(rows, f"with locks/wait-free, P = {p}", line=1))
    yield Table("Speedup, and time with locks over that of the default build, median (range) of "
                "the rounds", *JOINS.table(results))


def _of_all_deques(measured):
    found = [(w, of_builds) for w in measured.workloads if (of_builds := _builds(w))]
    if not found:
        return [missing("fib with both joins on each deque", "python3 bench/run_variants.py")]
    return [
        Text("fib, with nopal built with either join on each deque. Where locked/wait-free is "
             "below 1, the lock is faster."),
        *(picture for w, results in found for picture in _pictures(results, w)),
        Table("T_P of the locked join by that of the wait-free one, median (range) of the rounds "
              "that have both",
              ["workload", "variant", "deque", "P", "T_s/T_P, wait-free", "T_s/T_P, locked",
               "locked/wait-free"],
              [row for w, results in found for row in _rows(results, w)], names=3)]


def _builds(workload):
    """Results whose labels are (deque, join, variant); None unless both joins are there."""
    records = [r for r in [*workload.records, *workload.other_builds] if "@" not in r["label"]]
    builds = {build_of(r) for r in records} - {None}
    if {join for _, join in builds} < {WAIT_FREE, LOCKED}:
        return None
    return Results([{**r, "label": (*build_of(r), r["label"])} if build_of(r) else r
                    for r in records])


def _variants(results):
    """Variant -> its deques, where both joins are there."""
    labels = {label for label, _ in results.keys() if isinstance(label, tuple)}
    found = {}
    for deque, join, variant in sorted(labels):
        if join == WAIT_FREE and (deque, LOCKED, variant) in labels:
            found.setdefault(variant, []).append(deque)
    return found


def _rows(results, workload):
    for variant, deques in _variants(results).items():
        for deque in deques:
            free, locked = (deque, WAIT_FREE, variant), (deque, LOCKED, variant)
            for p in sorted({p for label, p in results.keys() if label in (free, locked)}):
                speedups = (results.ratio((SERIAL, 1), (label, p)) for label in (free, locked))
                yield [workload.title, variant, deque, p,
                       *(number(s.median if s else None) for s in speedups),
                       spread(results.ratio((locked, p), (free, p)))]


def _pictures(results, workload):
    for variant, deques in _variants(results).items():
        curves = {}
        for deque in deques:
            for join in (WAIT_FREE, LOCKED):
                label = (deque, join, variant)
                curves[deque,
                       join] = {p: s.median
                                for at, p in sorted(results.keys(), key=lambda key: key[1])
                                       if at == label
                                and (s := results.ratio((SERIAL, 1), (label, p))) is not None}
        if any(len(points) > 1 for points in curves.values()):
            said = ", ".join(f"{deque} {join} {number(points[max(points)])}"
                             for (deque, join), points in curves.items() if points)
            yield Picture(as_name(f"joins-{workload.slug}-{variant}"),
                          f"Lines: speedup of {workload.title}, {variant}, by deque and join; most "
                          f"workers: {said}",
                          f"{workload.title}, {variant}: speedup against workers by join and "
                          "deque.", _lines(curves))


@draw.styled
def _lines(curves):
    figure, ax = draw.axes(3.0)
    deques = list(dict.fromkeys(deque for deque, _ in curves))
    for (deque, join), points in curves.items():
        ax.plot(list(points), list(points.values()),
                marker=MARKERS[deques.index(deque) % len(MARKERS)], markersize=5,
                label=f"{deque}, {'wait-free' if join == WAIT_FREE else 'locked'}", **LOOKS[join])
    ax.set_ylim(bottom=0)
    draw.worker_ticks(ax, sorted({p for points in curves.values() for p in points}))
    ax.set_ylabel("speedup, Tₛ/Tₚ")
    draw.legend_below(ax)
    return figure
