# SPDX-License-Identifier: Apache-2.0
"""The chapter on cactus stacks, in the figures of Lee and others 2010 and Pfeiffer 2020."""

from ..contents import Heading, Part
from . import caches, idle, in_use, joins, memory, pages, reclaim, stealing, strategies, times, victims

TITLE = "Cactus stacks"
# In the order in which a reader of the papers meets them.
PARTS = {
    "Strategies to keep a cactus stack (Lee and others 2010, figure 2)": strategies,
    "Time with mapped stacks (figure 8)": times,
    "Pages of stacks (figure 9)": pages,
    "Stacks and heap (figure 10)": memory,
    "Stacks in use": in_use,
    "Child against continuation stealing (Pfeiffer 2020, figure 5.1)": stealing,
    "Wait-free joins and deques against those with locks (figure 5.2)": joins,
    "Reclaim policies (figures 5.4 and 5.5)": reclaim,
    "Victims by distance (Williams and Elliott 2024, equation 6)": victims,
    "Free stacks (Schmaus 2015, table 3.1)": caches,
    "Lazy and busy workers (Williams and Elliott 2024, figures 5 and 6)": idle,
}


def part(measured):
    items = []
    for heading, module in PARTS.items():
        items += [Heading(heading), *module.items(measured)]
    return Part("stacks", TITLE, items)
