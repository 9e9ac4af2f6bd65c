# SPDX-License-Identifier: Apache-2.0
"""The cactus stack: pages (Lee and others 2010, figure 9), and mapped stacks beside the default
ones."""

from ..ratios import space
from ..stacks import tables as of_stacks
from ..stacks.plan import FIGURES, PREFIX
from ..tables import number, space_table
from . import draw
from .contents import Part, Picture, Table, Text, missing
from .counts import of_runtime, total_per_run
from .libraries import NOPAL, colour

TITLE = "Stacks"


def part(measured):
    return Part("stacks", TITLE,
                [*_pages(measured.space), *_stacks(measured), *_mapped(measured.stacks)])


def _mapped(sections):
    for figure, what in FIGURES.items():
        found = sections.get(PREFIX + figure)
        if found is None:
            yield missing(f"mapped stacks, {what}", f"./run bench stacks --figure {figure}")
        else:
            yield Table(f"Mapped stacks beside the default ones: {what}",
                        *of_stacks.table(found.name, found.results))


def _pages(section):
    if section is None or not (found := space(section.results)):
        return [missing("pages of stacks S_1, S_P/P and the bound S_1 + D by workload",
                        "./run bench --workload space")]
    header, rows = space_table(section.results)
    most = max(max(s.most) for s in found)
    said = "; ".join(f"{s.label}: {s.serial}, {number(s.each(most))}, {s.bound}"
                     for s in found if s.each(most) is not None)
    return [
        Text("Pages of 4 KiB of all stacks, in use, spare and pooled, as the kernel has them. S_1 "
             "is what one worker touches, "
             "S_P the most that was seen with P workers, D how many forks are nested in each "
             "other."),
        Picture("stack-pages", f"Marks: S_1, S_P/P with P = {most} and S_1 + D: {said}",
                f"Pages of stacks for each of {most} workers, between those of the serial program "
                "and the bound.",
                _marks(found, most)),
        Table("Pages of stacks for each worker", header, rows)]


def _stacks(measured):
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


@draw.styled
def _marks(found, most):
    found = [s for s in found if s.each(most) is not None]
    figure, ax = draw.axes(0.75 + 0.25 * len(found), grid="x")
    rows = range(len(found))
    ax.hlines(rows, [s.serial for s in found], [s.bound for s in found], color=colour(NOPAL),
              alpha=0.4)
    ax.plot([s.serial for s in found], rows, "|", label="S_1", color=colour(NOPAL), markersize=9)
    ax.plot([s.each(most) for s in found], rows, "o", label=f"S_{most}/{most}", color=colour(NOPAL))
    ax.plot([s.bound for s in found], rows, ">", label="S_1 + D", color=colour(NOPAL), alpha=0.6)
    ax.set_xscale("log")
    draw.plain_numbers(ax.xaxis)
    ax.set_yticks(rows, [s.label for s in found])
    ax.tick_params(axis="y", length=0)
    ax.invert_yaxis()
    ax.set_xlabel("pages of 4 KiB for each worker, logarithmic")
    ax.legend(loc="lower center", bbox_to_anchor=(0.4, 1.0), ncols=3)
    return figure
