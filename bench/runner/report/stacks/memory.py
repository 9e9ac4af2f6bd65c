# SPDX-License-Identifier: Apache-2.0
"""Stacks and heap of many workers beside the serial program (Lee and others 2010, figure 10)."""

from ...stacks.memory import MEMORY, taken
from ...tables import number
from ..contents import Picture, Table, Text
from . import bars
from .section import lacks, records_of


def items(measured):
    results = records_of(measured, MEMORY)
    if results is None:
        return [lacks(MEMORY)]
    return [Text("Stacks are the most pages of all strands' stacks at one time. The heap is all "
                 "other memory that the processes of a program can write to when it ends, less "
                 "that of the one process with its problem before there were workers: what the "
                 "program allocates, and what the runtime takes for itself, such as deques and the "
                 "workers' own stacks. What several processes share counts once, and the "
                 "allocators give nothing back. The serial program's sum is counted in the same "
                 "way. Cilk-M's and Cilk-5's heap is that of their internal allocator alone."),
            *_pictures(taken(results)),
            Table("Pages of 4 KiB, the most of all rounds", *MEMORY.table(results))]


def _pictures(found):
    for p in sorted({t.workers for t in found}):
        rows = {t.label: {kind: value for kind, value in (
                    ("serial", t.serial), ("default", t.default and t.default.sum),
                    ("mapped", t.mapped and t.mapped.sum)) if value is not None}
                for t in found if t.workers == p}
        rows = {label: rows[label] for label in bars.drawn(rows)}
        said = "; ".join(f"{label}: " + ", ".join(f"{kind} {number(value)}"
                                                  for kind, value in of.items())
                         for label, of in rows.items())
        yield Picture(f"stacks-and-heap-{p}",
                      f"Bars: pages of stacks and heap together, P = {p}. {said}",
                      f"Pages of stacks and heap together, {p} workers, beside the serial program.",
                      bars.grouped(rows, f"pages, P = {p}", may_be_logarithmic=True))
