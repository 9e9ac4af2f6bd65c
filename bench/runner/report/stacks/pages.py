# SPDX-License-Identifier: Apache-2.0
"""Pages of stacks for each worker (Lee and others 2010, figure 9): with mapped stacks beside the
default ones, and the default ones by the number of workers."""

from ...ratios import space
from ...stacks.pages import PAGES, beside
from ...stacks.published import WORKERS
from ...tables import number, space_table
from .. import draw
from ..contents import Picture, Table, Text, missing
from ..libraries import BASELINE, NOPAL, colour
from . import bars
from .section import lacks, records_of


def items(measured):
    results = records_of(measured, PAGES)
    found = [] if results is None else beside(results)
    return [
        Text("Pages of 4 KiB of all stacks, in use, spare and pooled, as the kernel has them. S_1 "
             "is what one worker touches, S_P the most that was seen with P workers, D how many "
             "forks are nested in each other."),
        *(_beside(found, results) if found else [lacks(PAGES)]),
        *_by_workers(measured.space)]


def _beside(found, results):
    chosen = bars.drawn(b.label for b in found)
    kinds = {"default": {b.label: b.default for b in found if b.default and b.label in chosen},
             "mapped": {b.label: b.mapped for b in found if b.mapped and b.label in chosen}}
    published = {b.label: b.published for b in found if b.published and b.label in chosen}
    most = max(max(s.most) for of in kinds.values() for s in of.values())
    said = "; ".join(f"{label}, {kind}: {number(s.each(most))} of {s.bound}"
                     for kind, of in kinds.items() for label, s in of.items()
                     if s.each(most) is not None)
    if most == WORKERS:
        said += "; Cilk-M: " + ", ".join(f"{label} {number(each)}"
                                         for label, each in published.items())
    yield Picture("mapped-pages", f"Marks: S_P/P of S_1 + D, P = {most}: {said}",
                  f"Pages of stacks for each of {most} workers, default and mapped, between those "
                  "of the serial program and the bound"
                  + (", and those of Cilk-M." if most == WORKERS else "."),
                  _marks(kinds, most, published if most == WORKERS else {}))
    yield Table("Pages of stacks for each worker, with mapped stacks beside the default ones",
                *PAGES.table(results))


def _by_workers(section):
    if section is None or not (found := space(section.results)):
        return [missing("pages of stacks S_1, S_P/P and the bound S_1 + D by number of workers",
                        "./run bench --workload space")]
    most = max(max(s.most) for s in found)
    said = "; ".join(f"{s.label}: {s.serial}, {number(s.each(most))}, {s.bound}"
                     for s in found if s.each(most) is not None)
    return [
        Picture("stack-pages", f"Marks: S_1, S_P/P with P = {most} and S_1 + D: {said}",
                f"Pages of stacks for each of {most} workers, between those of the serial program "
                "and the bound.",
                _marks({"": {s.label: s for s in found}}, most, {})),
        Table("Pages of stacks for each worker by the number of workers",
              *space_table(section.results))]


@draw.styled
def _marks(kinds, most, published):
    """kinds: name -> {label: Space}. The bound, and S_1, are of the first kind that has a label."""
    kinds = {kind: {label: s for label, s in of.items() if s.each(most) is not None}
             for kind, of in kinds.items()}
    first = {label: s for of in reversed(kinds.values()) for label, s in of.items()}
    labels = list(dict.fromkeys(label for of in kinds.values() for label in of))
    figure, ax = draw.axes(0.75 + 0.25 * len(labels), grid="x")
    rows = {label: row for row, label in enumerate(labels)}
    serial, bound = ([getattr(first[label], what) for label in labels]
                     for what in ("serial", "bound"))
    ax.hlines(range(len(labels)), serial, bound, color=colour(NOPAL), alpha=0.4)
    ax.plot(serial, range(len(labels)), "|", label="S_1", color=colour(NOPAL), markersize=9)
    for (kind, of), marker in zip(kinds.items(), "os"):
        ax.plot([s.each(most) for s in of.values()], [rows[label] for label in of], marker,
                label=f"S_{most}/{most}" + (f", {kind}" if kind else ""), color=colour(NOPAL),
                markerfacecolor="none" if marker == "s" else colour(NOPAL))
    if published:
        shown = [label for label in published if label in rows]
        ax.plot([published[label] for label in shown], [rows[label] for label in shown], "x",
                label="Cilk-M", color=colour(BASELINE))
    ax.plot(bound, range(len(labels)), ">", label="S_1 + D", color=colour(NOPAL), alpha=0.6)
    ax.set_xscale("log")
    draw.plain_numbers(ax.xaxis)
    ax.set_yticks(range(len(labels)), labels)
    ax.tick_params(axis="y", length=0)
    ax.invert_yaxis()
    ax.set_xlabel("pages of 4 KiB for each worker, logarithmic")
    ax.legend(loc="lower center", bbox_to_anchor=(0.4, 1.0), ncols=3)
    return figure
