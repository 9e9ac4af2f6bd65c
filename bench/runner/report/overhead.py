# SPDX-License-Identifier: Apache-2.0
"""Work overhead: what one worker takes over the serial program."""

from ..tables import SERIAL, number
from . import draw
from .contents import Part, Picture, Text, missing
from .libraries import colour


def part(measured):
    pictures = [picture for w in measured.workloads if (picture := _picture(w)) is not None]
    title = "Work overhead, T_1/T_s"
    if not pictures:
        return Part("overhead", title,
                    [missing("no workload has the serial program beside another at P = 1",
                                                "./run bench --workers 1")])
    return Part("overhead", title, [
        Text("T_1: the time of one worker. T_s: that of the serial program by the same compiler, "
             "whose function is not inlined "
             "into itself. "
             "Shorter is better; 1 would be a fork that costs nothing."), *pictures])


def _picture(workload):
    results = workload.results
    baselines = [label for label in (SERIAL, f"{SERIAL}-llvm") if results.records(label, 1)]
    ratios = {label: ratio for label in workload.labels()
              for serial in results.by_same_compiler(label, baselines)[:1]
              if (ratio := results.ratio((label, 1), (serial, 1))) is not None}
    if not ratios:
        return None
    said = ", ".join(f"{label} {number(ratio.median)}" for label, ratio in ratios.items())
    return Picture(f"overhead-{workload.slug}", f"Bars: T_1/T_s of {workload.title}: {said}",
                   f"{workload.title}: T_1/T_s, median; the thin line is the range of the rounds.",
                   _bars(workload, ratios))


@draw.styled
def _bars(workload, ratios):
    figure, ax = draw.axes(0.75 + 0.25 * len(ratios), grid="x")
    log = draw.needs_log([1, *(r.median for r in ratios.values())])
    start = 1 if log else 0  # where the overhead is none; a logarithmic bar cannot start at 0
    for row, (label, r) in enumerate(ratios.items()):
        ax.barh(row, r.median - start, left=start, height=0.68,
                color=colour(workload.library(label)))
        ax.plot([r.low, r.high], [row, row], color=draw.INK, linewidth=0.8)
        ax.annotate(number(r.median), (max(r.high, start), row), xytext=(4, 0),
                    textcoords="offset points",
                    va="center")
    if log:
        ax.set_xscale("log")
    draw.plain_numbers(ax.xaxis)
    ax.axvline(1, color=draw.INK, linewidth=0.8)
    ax.margins(x=0.14)
    ax.set_yticks(range(len(ratios)), list(ratios))
    ax.tick_params(axis="y", length=0)
    ax.invert_yaxis()
    ax.set_xlabel(f"T₁/Tₛ of {workload.title}{', logarithmic' if log else ''}")
    return figure
