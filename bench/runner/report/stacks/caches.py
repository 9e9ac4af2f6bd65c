# SPDX-License-Identifier: Apache-2.0
"""Free stacks in lists of workers against one bitmap of all (Schmaus 2015, table 3.1)."""

from ...stacks.caches import CACHES
from ..contents import Table, Text
from .section import lacks, records_of


def items(measured):
    results = records_of(measured, CACHES)
    if results is None:
        return [lacks(CACHES)]
    return [Text("Each thread takes a free stack and puts it back, and does nothing else. In the "
                 "paper's table a bitmap takes time linear in the number of stacks, and its words "
                 "are shared by all."),
            Table("Nanoseconds of one taking and putting back, median (range) of the rounds; above "
                  "1, the bitmap takes longer", *CACHES.table(results))]
