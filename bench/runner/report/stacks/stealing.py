# SPDX-License-Identifier: Apache-2.0
"""Child against continuation stealing (Pfeiffer 2020, figure 5.1; Schmaus 2015, figures
5.5 and 5.6, table 5.2)."""

from matplotlib.figure import Figure

from ...stacks.stealing import STEALING, stealing
from ...tables import number
from .. import draw
from ..contents import Picture, Table, Text
from ..libraries import NOPAL, colour
from . import bars
from .section import lacks, records_of

KINDS = ("continuation", "child")
FEWEST_SIZES = 3
MARKERS = "osD^vPX"


def items(measured):
    results = records_of(measured, STEALING)
    found = [] if results is None else stealing(results)
    if not found:
        return [lacks(STEALING)]
    return [Text("The same `fork_frame` programs, once with the continuation stolen and once with "
                 "the child queued and stolen. In the trees `master` (depth 5, breadth 6), "
                 "`master_wide` (2, 1000) and `master_deep` (12, 2) the work of each node is "
                 "proportional to n."),
            *_speedups_of_programs(found), *_pictures(found),
            Table("Times, median (range) of the rounds; above 1, child stealing takes longer",
                  *STEALING.table(results))]


def _speedups_of_programs(found):
    """Of those that have one size."""
    for p in sorted({s.workers for s in found}):
        rows = {s.title: dict(zip(KINDS, (speedup.median for speedup in s.speedups)))
                for s in found if s.workers == p and not s.workload.startswith("master")
                and all(speedup is not None for speedup in s.speedups)}
        if rows:
            said = "; ".join(f"{title}: " + ", ".join(f"{kind} {number(value)}"
                                                      for kind, value in of.items())
                             for title, of in rows.items())
            yield Picture(f"stealing-programs-{p}", f"Bars: speedup, P = {p}. {said}",
                          f"Speedup T_s/T_P with {p} workers by continuation and by child "
                          "stealing; medians.", bars.grouped(rows, f"T_s/T_P, P = {p}"))


def _pictures(found):
    for workload in dict.fromkeys(s.workload for s in found):
        of_this = [s for s in found if s.workload == workload]
        if len({s.n for s in of_this}) < FEWEST_SIZES:
            continue
        if all(speedup is not None for s in of_this for speedup in s.speedups):
            yield _speedup_picture(workload, of_this)
        yield _ratio_picture(workload, of_this)


def _speedup_picture(workload, found):
    most = max(s.workers for s in found)
    said = "; ".join(
        f"{kind}: " + ", ".join(f"n = {s.n} {number(s.speedups[index].median)}"
                                for s in found if s.workers == most)
        for index, kind in enumerate(KINDS))
    return Picture(f"stealing-{workload}",
                   f"Lines: speedup of {workload} against workers by n; with {most}: {said}",
                   f"{workload}: speedup T_s/T_P against workers for each n, continuation stealing "
                   "above, child stealing below; medians.", _speedups(found))


def _ratio_picture(workload, found):
    said = "; ".join(
        f"P = {p}: " + ", ".join(f"n = {s.n} {number(s.ratio.median)}"
                                 for s in found if s.workers == p)
        for p in sorted({s.workers for s in found}))
    return Picture(f"stealing-ratio-{workload}",
                   f"Lines: time of child over continuation stealing of {workload} against n; "
                   f"{said}",
                   f"{workload}: the time of child stealing by that of continuation stealing "
                   "against n; medians, with the range of the rounds.", _ratios(found))


@draw.styled
def _speedups(found):
    figure = Figure(figsize=(draw.WIDTH, 4.6), layout="constrained")
    both = figure.subplots(2, sharex=True, sharey=True)
    workers = sorted({s.workers for s in found})
    sizes = sorted({s.n for s in found})
    for index, (ax, kind) in enumerate(zip(both, KINDS)):
        for place, n in enumerate(sizes):
            points = {s.workers: s.speedups[index].median for s in found if s.n == n}
            ax.plot(list(points), list(points.values()), label=f"n = {n}", color=colour(NOPAL),
                    alpha=0.3 + 0.7 * (place + 1) / len(sizes), markersize=5,
                    marker=MARKERS[place % len(MARKERS)])
        ax.plot(workers, workers, color=draw.INK, linewidth=0.8, linestyle=(0, (4, 3)),
                label="ideal")
        ax.set_ylim(bottom=0)
        ax.set_ylabel(f"{kind} stealing\nspeedup Tₛ/Tₚ")
    draw.worker_ticks(both[1], workers)
    draw.legend_below(both[1], columns=3)
    return figure


@draw.styled
def _ratios(found):
    figure, ax = draw.axes(3.0)
    for place, p in enumerate(sorted({s.workers for s in found})):
        points = {s.n: s.ratio for s in found if s.workers == p}
        middle = [r.median for r in points.values()]
        ax.errorbar(list(points), middle,
                    yerr=[[r.median - r.low for r in points.values()],
                          [r.high - r.median for r in points.values()]],
                    elinewidth=0.8, markersize=5, color=colour(NOPAL), label=f"P = {p}",
                    marker=MARKERS[place % len(MARKERS)],
                    linestyle=("solid", "dashed", "dotted")[place % 3])
    ax.axhline(1, color=draw.INK, linewidth=0.8, linestyle=(0, (4, 3)))
    ax.set_xscale("log")
    ax.set_ylim(bottom=0)
    ax.set_xlabel("n, logarithmic")
    ax.set_ylabel("child/continuation, time")
    draw.legend_below(ax)
    return figure
