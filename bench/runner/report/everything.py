# SPDX-License-Identifier: Apache-2.0
"""All figures, as the tables that the measuring prints."""

from .. import tables
from .contents import Part, Table


def part(measured):
    items = [Table(f"{w.title}: medians and ranges of the rounds; ratios are formed within rounds",
                   *tables.workload_table(w.results)) for w in measured.workloads if w.results.good]
    micro = [row for m in measured.micros for row in tables.micro_rows(m.name, m.results)]
    if micro:
        items.append(Table("Micro-measurements", tables.MICRO_HEADER, micro))
    return Part("everything", "Everything", items)
