# SPDX-License-Identifier: Apache-2.0
"""Victims drawn by distance against victims drawn uniformly (Williams and Elliott 2024)."""

from ...stacks.victims import PACKAGES, VICTIMS
from ..contents import Table, Text
from .section import lacks, records_of


def items(measured):
    results = records_of(measured, VICTIMS)
    if results is None:
        return [lacks(VICTIMS)]
    return [Text(f"The workers are on a machine that is made up: it has {PACKAGES} packages, and a "
                 "thief draws its victims by distance; or all CPUs are as far from each other, and "
                 "it draws uniformly. A far steal costs no more than a near one here, so the time "
                 "does not show what staying near saves."),
            Table("Time by weighted over uniform victims, median (range) of the rounds; steals of "
                  "a run; and the share of them in which thief and victim are in one package",
                  *VICTIMS.table(results))]
