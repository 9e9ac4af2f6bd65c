# SPDX-License-Identifier: Apache-2.0
"""The time with mapped stacks over that with the default ones (Lee and others 2010, figure 8)."""

from ...stacks.figure import front_end_of, workload_of
from ...stacks.times import TIME, timed
from ...tables import number
from ..contents import Picture, Table
from . import bars
from .section import lacks, records_of


def items(measured):
    results = records_of(measured, TIME)
    if results is None:
        return [lacks(TIME)]
    return [*_pictures(timed(results)),
            Table("Times, median (range) of the rounds; above 1, mapped stacks take longer",
                  *TIME.table(results))]


def _pictures(found):
    for p in sorted({t.workers for t in found}):
        of_p = [t for t in found if t.workers == p]
        chosen = bars.drawn(t.label for t in of_p)
        rows = {}
        for t in of_p:
            if t.label in chosen:
                rows.setdefault(workload_of(t.label),
                                {})[front_end_of(t.label)] = t.ratio.median
        said = "; ".join(f"{workload}: " + ", ".join(f"{name} {number(value)}"
                                                     for name, value in of.items())
                         for workload, of in rows.items())
        yield Picture(f"mapped-time-{p}",
                      f"Bars: time with mapped stacks over that with the default ones, P = {p}. "
                      f"{said}",
                      f"Time with mapped stacks over that with the default ones, {p} workers; "
                      "medians.", bars.grouped(rows, f"mapped/default, P = {p}", line=1))
