# SPDX-License-Identifier: Apache-2.0
"""From what a picture shows to SVG within the page and PNG beside it."""

import io
import re

import numpy as np
from matplotlib import rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator
from matplotlib.transforms import ScaledTranslation

from ..charts import Bars, middle
from ..libraries import COLOURS, NOPAL, OTHER, colour
from ..tables import number

# Colours that stand for what the page decides: each becomes a CSS variable in the SVG.
INK, GRID = "#010203", "#d0d1d2"
STYLE = {
    "font.family": "sans-serif", "font.size": 9, "axes.labelsize": 9, "xtick.labelsize": 8,
    "ytick.labelsize": 8, "legend.fontsize": 8, "legend.frameon": False, "text.color": INK,
    "axes.labelcolor": INK, "axes.edgecolor": INK, "xtick.color": INK, "ytick.color": INK,
    "axes.spines.top": False, "axes.spines.right": False, "axes.axisbelow": True,
    "grid.color": GRID, "grid.linewidth": 0.6, "lines.linewidth": 1.6, "lines.markersize": 5,
    "axes.linewidth": 0.7, "svg.fonttype": "none",
}
WIDTH = 4.1  # inches: as wide as a phone shows without shrinking the text
DASHED = (0, (4, 3))
DASHES = ("solid", (0, (4, 1.5)), (0, (1, 1.2)), (0, (5, 1.5, 1, 1.5)))
MARKERS = "osD^vPX<>*"
MOST_LINEAR = 10  # above, small values could not be told apart on a linear axis


def drawn(chart):
    """The figure of Bars or Lines, and its bounds, which take a while to find."""
    with rc_context(STYLE):
        figure = (_bars if isinstance(chart, Bars) else _lines)(chart)
        return figure, figure.get_tightbbox(FigureCanvasAgg(figure).get_renderer()).padded(0.1)


def _axes(height, grid):
    figure = Figure(figsize=(WIDTH, height))
    ax = figure.subplots()
    ax.grid(True, axis=grid)
    return figure, ax


def _range(value):
    """How far it reaches below its median, and above."""
    return (value[0] - value[1], value[2] - value[0]) if isinstance(value, list) else (0, 0)


def _needs_log(chart, values):
    values = [v for v in (*values, chart.line) if v is not None]
    return min(values, default=0) > 0 and max(values) / min(values) > MOST_LINEAR


def _scale(axis, ax, which, log, least):
    """Logarithmic, but without powers as labels; or from 0."""
    if log:
        getattr(ax, f"set_{which}scale")("log")
    elif least >= 0:
        getattr(ax, f"set_{which}lim")(**{"left" if which == "x" else "bottom": 0})
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_locator(NullLocator())


def _bars(chart):
    series = list(dict.fromkeys(name for of in chart.rows.values() for name in of))
    figure, ax = _axes(1.0 + 0.14 * len(chart.rows) * (len(series) + 0.6), "x")
    height = 0.8 / max(1, len(series))
    medians = [middle(value) for of in chart.rows.values() for value in of.values()]
    log = _needs_log(chart, medians)
    start = chart.line or 0 if log else 0  # a logarithmic bar cannot begin at 0
    for index, name in enumerate(series):
        rows = {row: of[name] for row, of in enumerate(chart.rows.values()) if name in of}
        at = [row + (index - (len(series) - 1) / 2) * height for row in rows]
        values = [middle(value) for value in rows.values()]
        colours = [colour(chart.libraries.get(row, NOPAL)) for row, of in chart.rows.items()
                   if name in of]
        bars = ax.barh(at, [value - start for value in values], left=start, label=name,
                       height=height * 0.92, color=colours,
                       alpha=1 - 0.6 * (len(series) - 1 - index) / len(series),
                       xerr=np.array([_range(value) for value in rows.values()]).T,
                       error_kw={"elinewidth": 0.8, "ecolor": INK})
        if len(series) == 1:
            ax.bar_label(bars, [number(value) for value in values], padding=4, fontsize=8)
            ax.margins(x=0.14)
    _scale(ax.xaxis, ax, "x", log, min(medians, default=0))
    if chart.line is not None:
        ax.axvline(chart.line, color=INK, linewidth=0.8, linestyle=DASHED)
    ax.set_yticks(range(len(chart.rows)), list(chart.rows))
    ax.tick_params(axis="y", length=0)
    ax.invert_yaxis()
    ax.set_xlabel(chart.axis + (", logarithmic" if log else ""))
    if len(series) > 1:
        ax.legend(loc="lower center", bbox_to_anchor=(0.4, 1.0), ncols=min(3, len(series)))
    return figure


def _lines(chart):
    figure, ax = _axes(3.2, "both")
    xs = list(dict.fromkeys(x for points in chart.curves.values() for x in points))
    places = {x: at if isinstance(x, str) else x for at, x in enumerate(xs)}
    for index, (name, points) in enumerate(chart.curves.items()):
        looks = {"color": _colour(chart, name, index), "marker": MARKERS[index % len(MARKERS)],
                 "linestyle": DASHES[index % len(DASHES)]}
        points = dict(sorted(points.items(), key=lambda item: places[item[0]]))
        fit = chart.fits.get(name)
        ax.errorbar([places[x] for x in points], [middle(v) for v in points.values()],
                    yerr=np.array([_range(v) for v in points.values()]).T, elinewidth=0.8,
                    label=name, **{**looks, **({"linestyle": "none"} if fit else {})})
        if fit:
            along = np.geomspace(min(points), max(points), 60)
            ax.plot(along, fit(along), color=looks["color"], linestyle=looks["linestyle"])
    medians = [middle(value) for of in chart.curves.values() for value in of.values()]
    log = _needs_log(chart, medians)
    _scale(ax.yaxis, ax, "y", log, min(medians, default=0))
    if len(xs) > 2 and not isinstance(xs[0], str):
        ax.set_xscale("log", base=chart.base)
    ax.xaxis.set_major_locator(FixedLocator(list(places.values())))
    ax.xaxis.set_major_formatter(FuncFormatter(
        lambda value, _: min(places.items(), key=lambda item: abs(item[1] - value))[0]
        if places and isinstance(xs[0], str) else f"{value:g}"))
    ax.xaxis.set_minor_locator(NullLocator())
    if chart.line is not None:
        ax.axhline(chart.line, color=INK, linewidth=0.8, linestyle=DASHED)
    if chart.cpus is not None:
        cpus, at = chart.cpus
        ax.axvline(at, color=INK, linewidth=0.8, linestyle=DASHED)
        ax.annotate(f"{cpus} CPUs", (at, 1), xycoords=("data", "axes fraction"), xytext=(3, -9),
                    textcoords="offset points", fontsize=8)
    ax.set_xlabel(chart.x)
    ax.set_ylabel(chart.y + (", logarithmic" if log else ""))
    # inches, however high the axes are
    below = ax.transAxes + ScaledTranslation(0, -0.4, figure.dpi_scale_trans)
    ax.legend(loc="upper center", bbox_to_anchor=(0.45, 0), bbox_transform=below, ncols=2,
              handlelength=2.6, columnspacing=1.2)
    return figure


def _colour(chart, name, index):
    """Of its library, or the next of all."""
    if name in chart.libraries:
        return colour(chart.libraries[name])
    return list(COLOURS.values())[index % len(COLOURS)][0]


def as_png(figure, bounds, path):
    with rc_context(STYLE):
        figure.savefig(path, dpi=110, facecolor="white", bbox_inches=bounds)


def as_svg(figure, bounds, name):
    """An <svg> element for a page: no prolog, ids of its own, colours as CSS variables, the fonts
    of the page."""
    stream = io.StringIO()
    with rc_context({**STYLE, "svg.hashsalt": name}):
        figure.savefig(stream, format="svg", transparent=True, bbox_inches=bounds,
                       metadata={"Date": None})
    svg = stream.getvalue()
    svg = svg[svg.index("<svg"):]
    svg = re.sub(r"<metadata>.*?</metadata>\s*", "", svg, flags=re.DOTALL)
    svg = re.sub(r'\bid="', f'id="{name}-', svg)
    svg = re.sub(r'(href="#|url\(#)', rf"\g<1>{name}-", svg)
    svg = re.sub(r"font: ([\d.]+px) [^;\"]+", r"font-size: \1", svg)
    for shade, variable in [(INK, "ink"), (GRID, "grid"), (OTHER[0], "other"),
                            *((light, f"lib-{library}")
                              for library, (light, _) in COLOURS.items())]:
        svg = svg.replace(shade, f"var(--{variable})")
    return svg
