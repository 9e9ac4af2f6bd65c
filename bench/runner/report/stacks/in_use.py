# SPDX-License-Identifier: Apache-2.0
"""How many stacks the strands of a program hold at one time."""

from ...counts import of_runtime, total_per_run
from ...tables import number
from .. import draw
from ..contents import Picture, Table, Text, missing
from ..libraries import NOPAL, colour


def items(measured):
    found = [(w, label, p, records) for w in measured.workloads for label in w.labels(NOPAL)
             for p in w.workers()
             if of_runtime(records := w.results.records(label, p),
                           "peak_stacks_in_use") is not None]
    if not found:
        return [missing("no record of a workload has nopal's statistics",
                        "./run bench --variant nopal-invoke,nopal-frame")]
    return [
        Text("How many stacks the strands of a program, running or suspended, held at most at one "
             "time, in any round. "
             "A stack takes address space (`stack_bytes`) but memory only for the pages that were "
             "touched."),
        _picture(found), _table(found)]


def _table(found):
    rows = []
    for w, label, p, records in found:
        peak = of_runtime(records, "peak_stacks_in_use")
        rows.append([w.title, label, p, peak, number(peak / p),
                     *(number(total_per_run(records, key))
                       for key in ("stack_switches", "suspensions"))])
    return Table("Stacks in use at most; switches of stacks and suspensions for one run, median of "
                 "the rounds",
                 ["workload", "variant", "P", "peak stacks", "peak stacks/P", "switches",
                  "suspensions"], rows, names=2)


def _picture(found):
    most = max(p for _, _, p, _ in found)
    bars = {f"{w.title} {label}": of_runtime(records, "peak_stacks_in_use") / p
            for w, label, p, records in found if p == most}
    said = ", ".join(f"{name} {number(value)}" for name, value in bars.items())
    return Picture("stacks", f"Bars: peak stacks in use for each worker, P = {most}: {said}",
                   f"Peak stacks in use for each of {most} workers.", _bars(bars, most))


@draw.styled
def _bars(bars, most):
    figure, ax = draw.axes(0.75 + 0.25 * len(bars), grid="x")
    ax.barh(range(len(bars)), list(bars.values()), height=0.68, color=colour(NOPAL))
    for row, value in enumerate(bars.values()):
        ax.annotate(number(value), (value, row), xytext=(4, 0), textcoords="offset points",
                    va="center")
    ax.margins(x=0.14)
    ax.set_yticks(range(len(bars)), list(bars))
    ax.tick_params(axis="y", length=0)
    ax.invert_yaxis()
    ax.set_xlabel(f"peak stacks in use / P, P = {most}")
    return figure
