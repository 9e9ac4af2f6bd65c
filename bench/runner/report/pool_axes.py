# SPDX-License-Identifier: Apache-2.0
"""How the pool's figures are drawn."""

from dataclasses import dataclass
from typing import Callable

from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullLocator

from ..pool.program import OURS, PEERS
from ..pool.quantity import THROUGHPUT
from ..pool.tables import is_oversubscribed
from . import draw
from .libraries import BASELINE, NOPAL, OTHER, colour

DASHED, DOTTED, DASH_DOT = (0, (4, 1.5)), (0, (1, 1.2)), (0, (5, 1.5, 1, 1.5))
# Each has the colour of a library: of its own where it is one, else of one that is not among them
# here.
_LIBRARIES = {"salsa": NOPAL, "salsa-cas": "libfork", "concurrent-bag": "rayon",
              "ms-queue": "libgomp", "lifo-stack": "libomp",
              "moodycamel": "TooManyCooks", "tbb-queue": "oneTBB", "boost-queue": "Taskflow",
              "mutex-deque": BASELINE}
_MARKERS = dict(zip((*OURS, *PEERS), "osD^vPX<>"))


@dataclass(frozen=True)
class Axis:
    """What a load's place is on the axis below."""

    name: str
    x: Callable  # load -> a number, or a pair that is a category
    fit: Callable | None = None  # the number of CPUs -> x at which there are as many threads
    is_logarithmic: bool = True

    def tick(self, x):
        return "/".join(map(str, x)) if isinstance(x, tuple) else f"{x:g}"


EACH = Axis("producers = consumers", lambda load: load.producers, lambda cpus: cpus / 2)
CONSUMERS = Axis("consumers", lambda load: load.consumers, lambda cpus: cpus - 1)
PRODUCERS = Axis("producers", lambda load: load.producers, lambda cpus: cpus - 1)
OF_FIGURE = {
    "throughput": EACH, "swaps": CONSUMERS, "balancing": CONSUMERS, "pinning": EACH,
    "alone": CONSUMERS,
    "hindered": Axis("first consumer", lambda load: (load.hindrance,), is_logarithmic=False),
    "ratios": Axis("producers/consumers", lambda load: (load.producers, load.consumers),
                   is_logarithmic=False),
    "chunks": Axis("tasks in a chunk, logarithmic", lambda load: load.chunk),
}


def style(line):
    """By a line's name: the variant, and after a comma what else there is to say of it."""
    variant, _, more = line.partition(", ")
    base = variant.removesuffix("-unbalanced")
    looks = {"color": colour(_LIBRARIES[base]) if base in _LIBRARIES else OTHER[0],
             "marker": _MARKERS.get(base, "*"),
             "markersize": 5, "linestyle": "solid" if base in OURS else DASHED,
             "zorder": 3 if base == "salsa" else 2}
    if more == "memory on one node":
        return {**looks, "linestyle": DASH_DOT, "marker": "s"}
    return {**looks, "linestyle": DOTTED} if more or base != variant else looks


@draw.styled
def lines(curves, axis, quantity=THROUGHPUT):
    figure, ax = draw.axes(3.2)
    xs = sorted({x for points in curves.values() for x in points})
    for line, points in curves.items():
        _line(ax, line, dict(sorted(points.items())), xs, quantity)
    _y_axis(ax, quantity,
            [quantity.of(records) for points in curves.values() for records in points.values()])
    _x_axis(ax, axis, xs, curves)
    draw.legend_below(ax)
    return figure


def _place(x, xs):
    """Categories stand side by side."""
    return xs.index(x) if isinstance(x, tuple) else x


def _line(ax, line, points, xs, quantity):
    looks = style(line)
    found = {_place(x, xs): (quantity.of(records), is_oversubscribed(records))
             for x, records in points.items()}
    values = [value for value, _ in found.values()]
    down, up = [v.median - v.low for v in values], [v.high - v.median for v in values]
    ax.errorbar(list(found), [v.median for v in values], yerr=[down, up], elinewidth=0.8,
                label=line,
                markerfacecolor="none", **looks)
    filled = [x for x, (_, oversubscribed) in found.items() if not oversubscribed]
    ax.plot(filled, [found[x][0].median for x in filled], **{**looks, "linestyle": "none"})


def _y_axis(ax, quantity, values):
    log = quantity.may_be_logarithmic and draw.needs_log([v.median for v in values])
    if log:
        ax.set_yscale("log")
        ax.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    else:
        ax.margins(y=0.12)  # room for what draw.mark_cpus() writes
        ax.set_ylim(bottom=0)
    draw.plain_numbers(ax.yaxis)
    ax.set_ylabel(quantity.name + ("\nlogarithmic" if log else ""))


def _x_axis(ax, axis, xs, curves):
    if axis.is_logarithmic:
        ax.set_xscale("log", base=2)
    ax.xaxis.set_major_locator(FixedLocator([_place(x, xs) for x in xs]))

    def nearest(value):
        return min(xs, key=lambda x: abs(_place(x, xs) - value))

    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: axis.tick(nearest(value))))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.set_xlabel(axis.name)
    for cpus in sorted({r["machine"]["cpus"] for points in curves.values()
                        for records in points.values() for r in records}):
        if axis.fit is not None and xs[0] <= axis.fit(cpus) <= xs[-1]:
            draw.mark_cpus(ax, cpus, axis.fit(cpus))
