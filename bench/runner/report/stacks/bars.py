# SPDX-License-Identifier: Apache-2.0
"""Horizontal bars in groups, and which programs a picture shows."""

from ...stacks.published import found
from .. import draw
from ..libraries import NOPAL, colour


def drawn(labels):
    """The programs of the papers; all where there is none of them."""
    labels = list(labels)
    return [label for label in labels if found(label.split(" ")[0])] or labels


@draw.styled
def grouped(rows, text, line=None, may_be_logarithmic=False):
    """rows: name -> {series: value}, in which a series may lack. The first series is the lightest.
    line: a value to compare with."""
    series = list(dict.fromkeys(name for of in rows.values() for name in of))
    figure, ax = draw.axes(1.0 + 0.14 * len(rows) * (len(series) + 0.6), grid="x")
    height = 0.8 / len(series)
    for index, name in enumerate(series):
        offset = (index - (len(series) - 1) / 2) * height
        at = [row + offset for row, of in enumerate(rows.values()) if name in of]
        ax.barh(at, [of[name] for of in rows.values() if name in of], height=height * 0.92,
                label=name, color=colour(NOPAL),
                alpha=1 - 0.6 * (len(series) - 1 - index) / len(series))
    values = [value for of in rows.values() for value in of.values()]
    if may_be_logarithmic and max(values, default=0) > 20:
        ax.set_xscale("symlog", linthresh=1)
        ax.set_xlim(left=0)
        text += ", logarithmic"
    if line is not None:
        ax.axvline(line, color=draw.INK, linewidth=0.8, linestyle=(0, (4, 3)))
    draw.plain_numbers(ax.xaxis)
    ax.set_yticks(range(len(rows)), list(rows))
    ax.tick_params(axis="y", length=0)
    ax.invert_yaxis()
    ax.set_xlabel(text)
    ax.legend(loc="lower center", bbox_to_anchor=(0.4, 1.0), ncols=min(3, len(series)))
    return figure
