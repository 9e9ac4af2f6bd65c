# SPDX-License-Identifier: Apache-2.0
"""Draws bars and lines by matplotlib."""

import numpy as np
from matplotlib import rc_context
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullLocator

from ..charts import Bars
from ..libraries import COLOURS, NOPAL, colour
from ..tables import middle, number

INK = "#1c2026"
STYLE = {
    "font.size": 9, "xtick.labelsize": 8, "ytick.labelsize": 8, "legend.fontsize": 8,
    "legend.frameon": False, "axes.spines.top": False, "axes.spines.right": False,
    "axes.axisbelow": True, "grid.linewidth": 0.6, "lines.linewidth": 1.6, "lines.markersize": 5,
    "svg.fonttype": "none", "svg.hashsalt": "nopal",  # text as text, and the same ids each time
}
WIDTH = 4.1  # inches: as wide as a phone shows without shrinking the text
DASHED = {"color": INK, "linewidth": 0.8, "linestyle": (0, (4, 3))}
DASHES = ("solid", (0, (4, 1.5)), (0, (1, 1.2)), (0, (5, 1.5, 1, 1.5)))
MARKERS = "osD^vPX<>*"
MOST_LINEAR = 10  # above, small values could not be told apart on a linear axis


def write(chart, path):
    """Writes a picture of Bars or Lines, by the name of the file as SVG or PNG."""
    with rc_context(STYLE):
        drawn(chart).savefig(path, bbox_inches="tight", metadata={"Date": None})


def drawn(chart):
    """The figure of matplotlib."""
    is_bars = isinstance(chart, Bars)
    figure = Figure(figsize=(WIDTH, _height(chart) if is_bars else 3.2))
    ax = figure.subplots()
    ax.grid(True, axis="x" if is_bars else "both")
    (_bars if is_bars else _lines)(ax, chart)
    return figure


def _ranges(values):
    """How far each reaches below its median, and above."""
    return np.array([(v[0] - v[1], v[2] - v[0]) if isinstance(v, list) else (0, 0)
                     for v in values]).T


def _needs_log(chart, of_names):
    values = [middle(value) for of in of_names.values() for value in of.values()]
    values += [] if chart.line is None else [chart.line]
    return min(values, default=0) > 0 and max(values) / min(values) > MOST_LINEAR


def _scale(ax, which, log):
    """After all is drawn: logarithmic, but without powers as labels, or from 0."""
    axis = ax.xaxis if which == "x" else ax.yaxis
    if log:
        ax.set(**{f"{which}scale": "log"})
    elif axis.get_data_interval()[0] >= 0:
        ax.set(**{f"{which}lim": (0, None)})
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_locator(NullLocator())


def _series(chart):
    return list(dict.fromkeys(name for of in chart.rows.values() for name in of))


def _height(chart):
    return 1.0 + 0.14 * len(chart.rows) * (len(_series(chart)) + 0.6)


def _bars(ax, chart):
    series = _series(chart)
    log = _needs_log(chart, chart.rows)
    start = chart.line or 0 if log else 0  # a logarithmic bar cannot begin at 0
    height = 0.8 / max(1, len(series))
    for index, name in enumerate(series):
        rows = {row: of[name] for row, of in chart.rows.items() if name in of}
        places = [list(chart.rows).index(row) + (index - (len(series) - 1) / 2) * height
                  for row in rows]
        values = [middle(value) for value in rows.values()]
        bars = ax.barh(places, [value - start for value in values], left=start, label=name,
                       height=height * 0.92, xerr=_ranges(rows.values()),
                       color=[colour(chart.libraries.get(row, NOPAL)) for row in rows],
                       alpha=1 - 0.6 * (len(series) - 1 - index) / len(series),
                       error_kw={"elinewidth": 0.8, "ecolor": INK})
        if len(series) == 1:
            ax.bar_label(bars, [number(value) for value in values], padding=4, fontsize=8)
            ax.margins(x=0.14)
    _scale(ax, "x", log)
    if chart.line is not None:
        ax.axvline(chart.line, **DASHED)
    ax.set_yticks(range(len(chart.rows)), list(chart.rows))
    ax.invert_yaxis()
    ax.set_xlabel(chart.axis + (", logarithmic" if log else ""))
    if len(series) > 1:
        ax.legend(loc="lower center", bbox_to_anchor=(0.4, 1.0), ncols=min(3, len(series)))


def _lines(ax, chart):
    xs = list(dict.fromkeys(x for points in chart.curves.values() for x in points))
    are_names = any(isinstance(x, str) for x in xs)
    places = {x: place if are_names else x for place, x in enumerate(xs)}
    for index, (name, points) in enumerate(chart.curves.items()):
        points = dict(sorted(points.items(), key=lambda item: places[item[0]]))
        fit, dashes = chart.fits.get(name), DASHES[index % len(DASHES)]
        own = (colour(chart.libraries[name]) if name in chart.libraries
               else list(COLOURS.values())[index % len(COLOURS)])
        ax.errorbar([places[x] for x in points], [middle(v) for v in points.values()],
                    yerr=_ranges(points.values()), elinewidth=0.8, label=name, color=own,
                    marker=MARKERS[index % len(MARKERS)], linestyle="none" if fit else dashes)
        if fit:
            along = np.geomspace(min(points), max(points), 60)
            ax.plot(along, fit(along), color=own, linestyle=dashes)
    log = _needs_log(chart, chart.curves)
    _scale(ax, "y", log)
    if len(xs) > 2 and not are_names:
        ax.set_xscale("log")
    ax.set_xticks(list(places.values()), [x if are_names else f"{x:g}" for x in places])
    ax.xaxis.set_minor_locator(NullLocator())
    if chart.line is not None:
        ax.axhline(chart.line, **DASHED)
    if chart.cpus is not None:
        cpus, at = chart.cpus
        ax.axvline(at, **DASHED)
        ax.annotate(f"{cpus} CPUs", (at, 1), xycoords=("data", "axes fraction"), xytext=(3, -9),
                    textcoords="offset points", fontsize=8)
    ax.set_xlabel(chart.x)
    ax.set_ylabel(chart.y + (", logarithmic" if log else ""))
    ax.legend(loc="upper center", bbox_to_anchor=(0.45, -0.15), ncols=2)
