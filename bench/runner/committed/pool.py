# SPDX-License-Identifier: Apache-2.0
"""The pool between producers and consumers beside other queues."""

from ..pool.figures import BASE
from ..pool.load import Load
from ..pool.program import ORDER
from ..tables import as_markdown, number
from .cells import spread

SIDES = ((1, 1), (2, 2))


def _case(section, load):
    return section.case(load.label, load.threads)


def throughput(committed):
    """Million elements a second, and how many times each the default has."""
    section = committed.section("pool-throughput")
    rows = []
    for variant in ORDER:
        cases = [_case(section, Load(variant, *sides)) for sides in SIDES]
        if all(cases):
            rows.append([variant,
                         *(cell for c in cases
                           for cell in (spread(c["value"]), spread(c.get("compared"))))])
    header = [cell for p, c in SIDES for cell in (f"{p}/{c}, million/s", f"{BASE} over it")]
    return as_markdown(["producers/consumers", *header], rows)


def chunks(committed):
    """Million elements a second by the number of elements in a chunk."""
    section = committed.section("pool-chunks")
    by_variant = {}
    for c in section.cases:
        variant, sides, _, chunk = c["label"].split(" ")
        by_variant.setdefault((variant, sides), {})[int(chunk)] = c["value"]
    sizes = sorted({chunk for found in by_variant.values() for chunk in found})
    rows = [[f"{variant}, {sides}",
             *(number(found[n][0]) if n in found else number(None) for n in sizes)]
            for (variant, sides), found in by_variant.items()]
    return as_markdown(["elements in a chunk", *sizes], rows)


def _by_sides(name):
    """A table of a figure: a variant in each row, producers/consumers in the columns."""
    def table(committed):
        by_variant, every = {}, {}
        for c in committed.section(f"pool-{name}").cases:
            variant, sides, *rest = c["label"].split(" ")
            label = " ".join([variant, *(word for word in rest if word != "counted")])
            by_variant.setdefault(label, {})[sides] = c["value"][0]
            every[sides] = None
        return as_markdown(["producers/consumers", *every],
                           [[variant, *(number(found.get(sides)) for sides in every)]
                            for variant, found in by_variant.items()])
    return table


ratios, one_producer, swaps, balancing, pinning = map(
    _by_sides, ("ratios", "one-producer", "swaps", "balancing", "pinning"))
