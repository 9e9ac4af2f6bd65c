# SPDX-License-Identifier: Apache-2.0
"""Idle workers that sleep against idle workers that search on (Williams and Elliott 2024)."""

from ...stacks.idle import IDLE
from ..contents import Table, Text
from .section import lacks, records_of


def items(measured):
    results = records_of(measured, IDLE)
    if results is None:
        return [lacks(IDLE)]
    return [Text("Lazy workers sleep in the kernel while there is nothing to steal; busy workers "
                 "search on, and take a CPU each all the time."),
            Table("Time with lazy over time with busy workers, median (range) of the rounds",
                  *IDLE.table(results))]
