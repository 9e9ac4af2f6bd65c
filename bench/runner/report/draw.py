# SPDX-License-Identifier: Apache-2.0
"""How figures look, and how they become SVG within the page and PNG beside it."""

import io
import re

from matplotlib import rc_context
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator
from matplotlib.transforms import ScaledTranslation

from .libraries import COLOURS, OTHER

# Colours that stand for what the page decides: each becomes a CSS variable in the SVG.
INK, GRID = "#010203", "#d0d1d2"
STYLE = {
    "font.family": "sans-serif", "font.size": 9, "axes.titlesize": 9, "axes.labelsize": 9,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8, "legend.fontsize": 8, "legend.frameon": False, "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": INK, "xtick.color": INK, "ytick.color": INK, "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True, "axes.axisbelow": True, "grid.color": GRID, "grid.linewidth": 0.6,
    "lines.linewidth": 1.6,
    "axes.linewidth": 0.7, "svg.fonttype": "none",
}
WIDTH = 4.1  # inches: as wide as a phone shows without shrinking the text


def styled(draw):
    """Decorates a function that draws, so that its figure looks as all others do."""
    def with_style(*arguments, **named):
        with rc_context(STYLE):
            return draw(*arguments, **named)
    return with_style


def axes(height, grid="both"):
    """A figure with one pair of axes."""
    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    ax = figure.subplots()
    ax.grid(False)
    ax.grid(True, axis=grid)
    return figure, ax


def legend_below(ax, columns=2):
    # inches, however high the axes are
    below = ax.transAxes + ScaledTranslation(0, -0.4, ax.figure.dpi_scale_trans)
    ax.legend(loc="upper center", bbox_to_anchor=(0.45, 0), bbox_transform=below, ncols=columns,
              handlelength=2.6,
              columnspacing=1.2)


def plain_numbers(axis):
    """Labels such as 0.5 and 20 also on logarithmic axes, instead of powers."""
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_locator(NullLocator())


def worker_ticks(ax, workers, oversubscribed=None):
    """A tick for each number of workers that was measured; a logarithmic axis where they reach
    far.

    `oversubscribed`: numbers of workers that are more than the CPUs -> those CPUs.
    """
    if workers[-1] > 8:
        ax.set_xscale("log", base=2)
    ax.xaxis.set_major_locator(FixedLocator(workers))
    plain_numbers(ax.xaxis)
    ax.set_xlabel("workers P")
    for cpus in sorted(set((oversubscribed or {}).values())):
        mark_cpus(ax, cpus)


def mark_cpus(ax, cpus, at=None):
    """A line at `at`, where there are as many threads as CPUs; None: at as many workers."""
    at = cpus if at is None else at
    ax.axvline(at, color=INK, linewidth=0.8, linestyle=(0, (4, 3)))
    ax.annotate(f"{cpus} CPUs", (at, 1), xycoords=("data", "axes fraction"), xytext=(3, -9),
                textcoords="offset points", fontsize=8)


def needs_log(values):
    """Whether the small ones could not be told apart on a linear axis."""
    return min(values) > 0 and max(values) / min(values) > 10


def as_png(figure, path):
    with rc_context(STYLE):
        figure.savefig(path, dpi=110, facecolor="white", bbox_inches="tight")


def as_svg(figure, name):
    """An <svg> element for a page: no prolog, ids of its own, colours as CSS variables, the fonts
    of the page."""
    stream = io.StringIO()
    with rc_context({**STYLE, "svg.hashsalt": name}):
        figure.savefig(stream, format="svg", transparent=True, bbox_inches="tight",
                       metadata={"Date": None})
    svg = stream.getvalue()
    svg = svg[svg.index("<svg"):]
    svg = re.sub(r"<metadata>.*?</metadata>\s*", "", svg, flags=re.DOTALL)
    svg = re.sub(r'\bid="', f'id="{name}-', svg)
    svg = re.sub(r'(href="#|url\(#)', rf"\g<1>{name}-", svg)
    svg = re.sub(r"font: ([\d.]+px) [^;\"]+", r"font-size: \1", svg)
    return _with_variables(svg)


def _with_variables(svg):
    for colour, variable in [(INK, "ink"), (GRID, "grid"), (OTHER[0], "other"),
                             *((light, f"lib-{library}")
                               for library, (light, _) in COLOURS.items())]:
        svg = svg.replace(colour, f"var(--{variable})")
    return svg
