# SPDX-License-Identifier: Apache-2.0
"""How the pool's figures are drawn."""

from dataclasses import dataclass
from typing import Callable

from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullLocator

from ..pool.program import OURS, PEERS
from ..pool.tables import is_oversubscribed, throughput
from . import draw
from .libraries import BASELINE, NOPAL, OTHER, colour

DASHED, DOTTED = (0, (4, 1.5)), (0, (1, 1.2))
# Each has the colour of a library: of its own where it is one, else of one that is not among them here.
_LIBRARIES = {"salsa": NOPAL, "salsa-cas": "libfork", "concurrent-bag": "rayon", "ms-queue": "libgomp", "lifo-stack": "libomp",
              "moodycamel": "TooManyCooks", "tbb-queue": "oneTBB", "boost-queue": "Taskflow", "mutex-deque": BASELINE}
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
    "throughput": EACH, "balancing": CONSUMERS, "pinning": EACH,
    "ratios": Axis("producers/consumers", lambda load: (load.producers, load.consumers), is_logarithmic=False),
    "chunks": Axis("tasks in a chunk, logarithmic", lambda load: load.chunk),
}


def style(line):
    """By a line's name: the variant, and after a comma what else there is to say of it."""
    variant, _, more = line.partition(", ")
    base = variant.removesuffix("-unbalanced")
    solid = "solid" if base in OURS else DASHED
    return {"color": colour(_LIBRARIES[base]) if base in _LIBRARIES else OTHER[0], "marker": _MARKERS.get(base, "*"),
            "markersize": 5, "linestyle": DOTTED if more or base != variant else solid, "zorder": 3 if base == "salsa" else 2}


@draw.styled
def lines(curves, axis):
    figure, ax = draw.axes(3.2)
    xs = sorted({x for points in curves.values() for x in points})
    for line, points in curves.items():
        _line(ax, line, dict(sorted(points.items())), xs)
    _y_axis(ax, [throughput(records) for points in curves.values() for records in points.values()])
    _x_axis(ax, axis, xs, curves)
    draw.legend_below(ax)
    return figure


def _place(x, xs):
    """Categories stand side by side."""
    return xs.index(x) if isinstance(x, tuple) else x


def _line(ax, line, points, xs):
    looks = style(line)
    found = {_place(x, xs): (throughput(records), is_oversubscribed(records)) for x, records in points.items()}
    rates = [rate for rate, _ in found.values()]
    down, up = [r.median - r.low for r in rates], [r.high - r.median for r in rates]
    ax.errorbar(list(found), [r.median for r in rates], yerr=[down, up], elinewidth=0.8, label=line, markerfacecolor="none", **looks)
    filled = [x for x, (_, oversubscribed) in found.items() if not oversubscribed]
    ax.plot(filled, [found[x][0].median for x in filled], **{**looks, "linestyle": "none"})


def _y_axis(ax, rates):
    log = draw.needs_log([r.median for r in rates])
    if log:
        ax.set_yscale("log")
        ax.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    else:
        ax.set_ylim(bottom=0)
    draw.plain_numbers(ax.yaxis)
    ax.set_ylabel("million tasks a second" + ("\nlogarithmic" if log else ""))


def _x_axis(ax, axis, xs, curves):
    if axis.is_logarithmic:
        ax.set_xscale("log", base=2)
    ax.xaxis.set_major_locator(FixedLocator([_place(x, xs) for x in xs]))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: axis.tick(min(xs, key=lambda x: abs(_place(x, xs) - value)))))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.set_xlabel(axis.name)
    for cpus in sorted({r["machine"]["cpus"] for points in curves.values() for records in points.values() for r in records}):
        _mark_cpus(ax, axis, xs, cpus)


def _mark_cpus(ax, axis, xs, cpus):
    """A line where there are as many threads as CPUs."""
    if axis.fit is None or not xs[0] <= axis.fit(cpus) <= xs[-1]:
        return
    ax.axvline(axis.fit(cpus), color=draw.INK, linewidth=0.8, linestyle=(0, (4, 3)))
    ax.annotate(f"{cpus} CPUs", (axis.fit(cpus), 1), xycoords=("data", "axes fraction"), xytext=(3, -9),
                textcoords="offset points", fontsize=8)
