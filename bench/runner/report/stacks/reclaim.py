# SPDX-License-Identifier: Apache-2.0
"""What giving stack pages back costs, and how often it happens (Pfeiffer 2020, figures 5.4 and
5.5)."""

from ...stacks.reclaim import COUNTS, NONE, RECLAIM, by_program, over_none
from ...tables import number
from ..contents import Picture, Table, Text
from . import bars
from .section import lacks, records_of


def items(measured):
    results = records_of(measured, RECLAIM)
    if results is None:
        return [lacks(RECLAIM)]
    return [Text("Each workload with each policy of NOPAL_RECLAIM. Counts are for one run of the "
                 "workload, the median of the rounds; unmaps are calls of madvise."),
            *_pictures(results),
            Table("Time over that without reclaiming, and counts for one run",
                  *RECLAIM.table(results), names=2)]


def _pictures(results):
    most = max(p for _, p in by_program(results))
    programs = {what: policies for (what, p), policies in by_program(results).items() if p == most}
    programs = {what: programs[what] for what in bars.drawn(programs)}
    times = {what: {policy: ratio.median for policy in policies
                    if (ratio := over_none(results, what, policy, most)) is not None}
             for what, policies in programs.items() if NONE in policies}
    if times:
        yield Picture("reclaim-time",
                      f"Bars: time over that with all pages kept, P = {most}. {_said(times)}",
                      f"Time over that with all pages kept, {most} workers, by policy; medians.",
                      bars.grouped(times, f"time/none, P = {most}", line=1))
    for name, count in COUNTS.items():
        rows = {what: {policy: count(results.records(f"{what}@{policy}", most)) or 0
                       for policy in policies} for what, policies in programs.items()}
        yield Picture(f"reclaim-{name.replace(' ', '-')}",
                      f"Bars: {name} for one run by policy, P = {most}. {_said(rows)}",
                      f"{name.capitalize()} for one run with {most} workers, by policy; no bar "
                      "means 0.",
                      bars.grouped(rows, f"{name} for one run, P = {most}",
                                   may_be_logarithmic=True))


def _said(rows):
    return "; ".join(f"{what}: " + ", ".join(f"{policy} {number(value)}"
                                             for policy, value in of.items())
                     for what, of in rows.items())
