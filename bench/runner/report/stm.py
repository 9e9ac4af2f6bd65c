# SPDX-License-Identifier: Apache-2.0
"""Transactions, in the figures of the work on their locks (Gidron 2012, chapter 2)."""

from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from ..stm.plan import GROUPS, MICRO, MISSES, PREFIX, READ_SETS, SECTIONS
from ..stm.program import BASE, TABLE
from ..stm.tables import BUCKET, NOTE, distribution, table
from ..tables import number
from . import draw
from .contents import Part, Picture, Table, Text, missing
from .libraries import COLOURS

TITLE = "Transactions"
PUBLISHED = {"contention": ": figure 2.1", "locality": ": figure 2.2",
             READ_SETS: ": figure 2.6", MISSES: ": tables 2.2 and 2.3"}
_COLOURS = [light for light, _ in COLOURS.values()]
_MARKERS = "osD^vX"


def part(measured):
    if not measured.stm:
        return Part("stm", TITLE, [missing("transactions were not measured", "./run bench stm")])
    items = [*_speedups(measured), *_read_sets(measured), *_micro(measured)]
    for name in SECTIONS:
        found = measured.stm.get(PREFIX + name)
        if found is None or not found.results.good:
            items.append(missing(f"{name}{PUBLISHED.get(name, '')}",
                                 f"./run bench stm --workload {name}"))
        else:
            items.append(Table(f"{name}{PUBLISHED.get(name, '')}. {NOTE}",
                               *table(found.name, found.results)))
    items.append(Text("Left out: table 2.1, cache misses by contention. They take hardware "
                      "counters: what simulates a cache simulates one for all threads.",
                      "missing"))
    return Part("stm", TITLE, [
        Text("The same programs with the locks of transactions in the data, in a table, and beside "
             "other means. Ratios are formed within rounds: above 1, inline locks are faster. "
             "Each program checks its result."), *items])


def _speedups(measured):
    """Figures 2.4 and 2.5: inline locks over a table of 2^20."""
    for group, workloads in GROUPS.items():
        curves = {}
        for workload in workloads:
            found = measured.stm.get(PREFIX + workload)
            if found is None:
                continue
            for label, threads in found.results.keys():
                ratio = found.results.ratio((TABLE, threads), (BASE, threads))
                if label == BASE and ratio:
                    curves.setdefault(workload, {})[threads] = ratio
        if curves:
            yield _picture(f"stm-{group}", f"{group}, inline locks over a table of 2^20 "
                           "(figures 2.4 and 2.5)", "speedup", curves)


def _micro(measured):
    """Figures 2.1 and 2.2."""
    found = measured.stm.get(f"{PREFIX}contention")
    if found is not None:
        curves = {}
        for label, threads in found.results.keys():
            if ratio := found.results.ratio((label, 1), (label, threads)):
                curves.setdefault(label, {})[threads] = ratio
        yield _picture("stm-contention", "each thread an integer of its own, or all one (figure "
                       "2.1)", "speedup over one thread", curves)
    found = measured.stm.get(f"{PREFIX}locality")
    if found is not None:
        far, near = MICRO["locality"]
        points = {threads: found.results.ratio((far, threads), (near, threads))
                  for _, threads in found.results.keys()}
        yield _picture("stm-locality", "two words of a line, over two lines far from each other "
                       "(figure 2.2)", "speedup",
                       {"near over far": {n: ratio for n, ratio in points.items() if ratio}})


def _read_sets(measured):
    """Figure 2.6."""
    found = measured.stm.get(PREFIX + READ_SETS)
    if found is None or not found.results.good:
        return
    by_label = {label: distribution(found.results.records(label, threads)[0])
                for label, threads in found.results.keys()}
    said = ", ".join(f"{label} {number(found.results.records(label, 1)[0]['read_set'])}"
                     for label in by_label)
    yield Picture("stm-read-sets", f"Bars: sizes of read-sets; averages: {said}",
                  f"Sizes of read-sets in vacation-high, one thread (figure 2.6); averages: "
                  f"{said}.", _bars(by_label))


def _picture(name, what, quantity, curves):
    last = max(n for points in curves.values() for n in points)
    said = ", ".join(f"{line} {number(points[last].median)}"
                     for line, points in curves.items() if last in points)
    return Picture(name, f"Lines: {what}; {last} threads: {said}",
                   f"{what[0].upper()}{what[1:]}: medians, with the range of the rounds.",
                   _lines(curves, quantity))


@draw.styled
def _lines(curves, quantity):
    figure, ax = draw.axes(3.2)
    for index, (line, points) in enumerate(curves.items()):
        xs = sorted(points)
        medians = [points[x].median for x in xs]
        below = [points[x].median - points[x].low for x in xs]
        above = [points[x].high - points[x].median for x in xs]
        ax.errorbar(xs, medians, yerr=[below, above], elinewidth=0.8, markersize=5, label=line,
                    color=_COLOURS[index], marker=_MARKERS[index])
    ax.set_ylim(bottom=0)
    ax.set_ylabel(quantity)
    ax.set_xscale("log", base=2)
    ax.xaxis.set_major_locator(FixedLocator(sorted({x for p in curves.values() for x in p})))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.set_xlabel("threads")
    draw.legend_below(ax)
    return figure


@draw.styled
def _bars(by_label):
    figure, ax = draw.axes(3.2, "y")
    width = BUCKET / (len(by_label) + 1)
    for index, (label, buckets) in enumerate(by_label.items()):
        ax.bar([at + index * width for at in buckets], list(buckets.values()), width, label=label,
               align="edge", color=_COLOURS[index])
    ax.set_xlabel("size of the read-set; the last bar is of all that are larger")
    ax.set_ylabel("transactions")
    draw.legend_below(ax)
    return figure
