# SPDX-License-Identifier: Apache-2.0
"""Speedup and efficiency against workers (Williams and Elliott 2024, equations 15 and 16)."""

from matplotlib.figure import Figure

from ..tables import SERIAL, number
from . import draw
from .contents import Part, Picture, Text, missing
from .lines import of_variants

TITLE = "Speedup and efficiency"
FORMULAS = {"speedup": "Tₛ/Tₚ", "efficiency": "Tₛ/(P Tₚ)"}


def part(measured):
    pictures = [_picture(w, curves) for w in measured.workloads if (curves := _curves(w))]
    if not pictures:
        return Part("scaling", TITLE,
                    [missing("no workload has the serial program and two numbers of workers",
                                               "./run bench --workers 1,2")])
    return Part("scaling", TITLE, [
        Text("Speedup: T_s/T_P, the serial program's time by that of P workers. Efficiency: "
             "speedup/P; with one worker "
             "it is the inverse of the work overhead. The dashed line is a program whose forks "
             "cost nothing and whose "
             "workers share all work. To the right of a line that names the CPUs there are more "
             "workers than CPUs."), *pictures])


def _curves(workload):
    """Label -> {workers: speedup}, of those measured with more than one number of workers."""
    found = {}
    for label in workload.labels():
        points = {p: ratio for p in workload.workers()
                  if (ratio := workload.results.ratio((SERIAL, 1), (label, p))) is not None}
        if len(points) > 1:
            found[label] = points
    return found


def _picture(workload, curves):
    most = max(max(points) for points in curves.values())
    said = ", ".join(f"{label} {number(points[most].median)}"
                     for label, points in curves.items() if most in points)
    return Picture(f"scaling-{workload.slug}",
                   f"Lines: speedup and efficiency of {workload.title} against workers; speedup "
                   f"with {most}: {said}",
                   f"{workload.title}: speedup above, efficiency below, against workers; medians, "
                   "with the range of "
                   "the rounds.",
                   _lines(workload, curves))


@draw.styled
def _lines(workload, curves):
    figure = Figure(figsize=(draw.WIDTH, 4.6), layout="constrained")
    upper, lower = figure.subplots(2, sharex=True)
    workers = sorted({p for points in curves.values() for p in points})
    _curves_on(upper, workload, curves, workers, "speedup", lambda p: 1)
    _curves_on(lower, workload, curves, workers, "efficiency", lambda p: p)
    draw.worker_ticks(lower, workers, workload.oversubscribed())
    draw.legend_below(lower)
    return figure


def _curves_on(ax, workload, curves, workers, kind, divisor):
    """The lines of the speedup, each point divided by `divisor(P)`."""
    for label, points in curves.items():
        middle = [r.median / divisor(p) for p, r in points.items()]
        down = [(r.median - r.low) / divisor(p) for p, r in points.items()]
        up = [(r.high - r.median) / divisor(p) for p, r in points.items()]
        ax.errorbar(list(points), middle, yerr=[down, up], elinewidth=0.8, label=label,
                    **of_variants(workload)[label])
    ax.plot(workers, [p / divisor(p) for p in workers], color=draw.INK, linewidth=0.8,
            linestyle=(0, (4, 3)),
            label="ideal")
    if log := draw.needs_log([r.median for points in curves.values() for r in points.values()]):
        ax.set_yscale("log")
    else:
        ax.set_ylim(bottom=0)
    draw.plain_numbers(ax.yaxis)
    ax.set_ylabel(f"{kind} {FORMULAS[kind]}" + ("\nlogarithmic" if log else ""))
