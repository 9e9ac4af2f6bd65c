# SPDX-License-Identifier: Apache-2.0
"""Ways to keep a cactus stack, in time and in pages (Lee and others 2010, figure 2)."""

from ...stacks.strategies import STRATEGY, kept
from ...tables import number
from ..contents import Picture, Table, Text
from . import bars
from .section import lacks, records_of


def items(measured):
    results = records_of(measured, STRATEGY)
    if results is None:
        return [lacks(STRATEGY)]
    return [Text("Each strategy of `docs/stacks.md` that takes the same programs. Those whose "
                 "frames wait queue and steal children, which has a price of its own: compare them "
                 "with `new_stack`, child stealing on new stacks. Pages and stacks are the most of "
                 "any round."),
            *_pictures(kept(results)),
            Table("Time over that of the default strategy, median (range) of the rounds; pages of "
                  "all stacks; stacks in use at one time", *STRATEGY.table(results), names=2)]


def _pictures(found):
    for p in sorted({k.workers for k in found}):
        rows = {}
        for k in found:
            if k.workers == p and k.ratio is not None:
                rows.setdefault(k.strategy, {})[k.workload] = k.ratio.median
        if rows:
            said = "; ".join(f"{strategy}: " + ", ".join(f"{workload} {number(value)}"
                                                         for workload, value in of.items())
                             for strategy, of in rows.items())
            yield Picture(f"strategies-{p}",
                          f"Bars: time over that of the default strategy, P = {p}. {said}",
                          f"Time of each strategy over that of the default, {p} workers; medians.",
                          bars.grouped(rows, f"time over default, P = {p}", line=1))
