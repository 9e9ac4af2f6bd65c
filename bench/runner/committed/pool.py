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


def _by_sides(committed, name, line, wanted=lambda producers, consumers: True):
    """The values of a figure: a row for each `line` of its loads, a column for each pair of
    producers and consumers."""
    found, columns = {}, []
    for c in committed.section(f"pool-{name}").cases:
        variant, sides, *more = c["label"].split(" ")
        pair = tuple(map(int, sides.split("/")))
        if wanted(*pair):
            found.setdefault(line(variant, " ".join(more)), {})[pair] = c["value"]
            columns.append(pair)
    columns = list(dict.fromkeys(columns))
    rows = [[label, *(spread(values.get(pair)) for pair in columns)]
            for label, values in found.items()]
    return as_markdown(["producers/consumers", *(f"{p}/{c}" for p, c in columns)], rows)


def _variant(variant, more):
    return variant


def ratios(committed):
    """Figure 1.4b: million elements a second, of as many threads, more of one kind."""
    return _by_sides(committed, "ratios", _variant)


def one_producer(committed):
    """Figure 1.5a: million elements a second."""
    return _by_sides(committed, "one-producer", _variant, lambda producers, _: producers == 1)


def one_consumer(committed):
    """What the paper does not show: million elements a second."""
    return _by_sides(committed, "one-producer", _variant, lambda _, consumers: consumers == 1)


def swaps(committed):
    """Figure 1.5b: compare-and-swaps for an element."""
    return _by_sides(committed, "swaps", _variant)


def balancing(committed):
    """Figure 1.6: million elements a second."""
    return _by_sides(committed, "balancing", _variant)


def pinning(committed):
    """Figure 1.7: million elements a second."""
    return _by_sides(committed, "pinning", lambda variant, more: more or "pinned")
