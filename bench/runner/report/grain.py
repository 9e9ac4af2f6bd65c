# SPDX-License-Identifier: Apache-2.0
"""How much work a fork needs to be worth while: workloads that were measured in several sizes
(Schmaus 2015, section 5.1)."""

from matplotlib.figure import Figure

from ..tables import SERIAL, number
from . import draw
from .contents import Part, Picture, Text, missing
from .lines import of_variants
from .measured import as_name

TITLE = "The work that a fork needs"
FEWEST_SIZES = 3


def part(measured):
    by_name = {}
    for w in measured.workloads:
        by_name.setdefault(w.name, []).append(w)
    sweeps = [sorted(sizes, key=lambda w: w.n)
              for sizes in by_name.values() if len(sizes) >= FEWEST_SIZES]
    pictures = [picture for sizes in sweeps
                for p in measured.workers() if (picture := _picture(sizes, p)) is not None]
    if not pictures:
        return Part("grain", TITLE,
                    [missing("no workload was measured in three sizes beside the serial program",
                                             "./run bench --workload master --n "
                                             "100,1000,10000,100000,1000000")])
    return Part("grain", TITLE, [
        Text("Efficiency T_s/(P T_P) against the size n; in `master` the work of each node is "
             "proportional to n."), *pictures])


def _picture(sizes, workers):
    curves = {}
    for w in sizes:
        for label in w.labels():
            ratio = w.results.ratio((SERIAL, 1), (label, workers))
            if ratio is not None:
                curves.setdefault(label, {})[w.n] = ratio.median / workers
    curves = {label: points for label, points in curves.items() if len(points) >= FEWEST_SIZES}
    if not curves:
        return None
    name = sizes[0].name
    least = sizes[0].n
    said = ", ".join(f"{label} {number(points[least])}"
                     for label, points in curves.items() if least in points)
    return Picture(f"grain-{as_name(name)}-{workers}",
                   f"Lines: efficiency of {name} against n, P = {workers}; at n = {least}: {said}",
                   f"{name}, P = {workers}: efficiency against n, medians of the rounds.",
                   _lines(sizes, curves, workers))


@draw.styled
def _lines(sizes, curves, workers):
    figure = Figure(figsize=(draw.WIDTH, 3.0), layout="constrained")
    ax = figure.subplots()
    styles = {label: style for w in reversed(sizes) for label, style in of_variants(w).items()}
    for label, points in curves.items():
        ax.plot(list(points), list(points.values()), label=label, **styles[label])
    ax.axhline(1, color=draw.INK, linewidth=0.8, linestyle=(0, (4, 3)))
    ax.set_xscale("log")
    ax.set_ylim(bottom=0)
    ax.set_xlabel("n, logarithmic")
    ax.set_ylabel(f"Tₛ/({workers} T{'₁' if workers == 1 else 'ₚ'})")
    draw.legend_below(ax)
    return figure
