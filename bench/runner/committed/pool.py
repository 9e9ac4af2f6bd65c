# SPDX-License-Identifier: Apache-2.0
"""The pool between producers and consumers beside other queues."""

from ..charts import Lines
from ..pool.figures import BASE
from ..pool.load import Load
from ..pool.program import ORDER
from ..tables import Table, number, spread

CHUNK, HINDRANCE = "elements in a chunk", "first consumer"  # axes
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
    return Table(["producers/consumers", *header], rows)


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
    return Table(["elements in a chunk", *sizes], rows)


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
    return Table(["producers/consumers", *(f"{p}/{c}" for p, c in columns)], rows)


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


PEERS_COLOURS = {"salsa": "nopal", "salsa-cas": "libfork", "concurrent-bag": "rayon",
                 "ms-queue": "libgomp", "lifo-stack": "libomp", "moodycamel": "TooManyCooks",
                 "tbb-queue": "oneTBB", "boost-queue": "Taskflow", "mutex-deque": "serial"}


def _parsed(label):
    """(variant, producers, consumers, the rest) of salsa 1/2 chunk 16."""
    variant, sides, *more = label.split(" ")
    return variant, *map(int, sides.split("/")), " ".join(more)


def table(figure, section):
    """All that is kept of a figure."""
    return Table(["variant", "producers/consumers", "", figure.quantity.heading,
                  figure.compared or "compared"],
                 [[variant, f"{p}/{c}", more, spread(case["value"]), spread(case.get("compared"))]
                  for case in section.cases for variant, p, c, more in [_parsed(case["label"])]])


def charts(figure, section, cpus):
    """By what the loads of a figure differ in."""
    def lines(suffix, x, place, cpus_at=None, wanted=lambda p, c: True):
        curves = {}
        for case in section.cases:
            variant, p, c, more = _parsed(case["label"])
            if wanted(p, c):
                more = "" if x in (CHUNK, HINDRANCE) else more.removesuffix("counted")
                name = ", ".join(filter(None, [variant, more]))
                curves.setdefault(name, {})[place(p, c, case["label"])] = case["value"]
        if any(len(points) > 1 for points in curves.values()):
            xs = {x for points in curves.values() for x in points}
            fits = cpus_at is not None and min(xs) <= cpus_at <= max(xs)
            yield Lines(f"{figure.section}{suffix}", f"{figure.title}: {figure.quantity.name}.", x,
                        figure.quantity.name, curves, cpus=(cpus, cpus_at) if fits else None,
                        libraries={name: PEERS_COLOURS[name] for name in curves
                                   if name in PEERS_COLOURS})

    def producers(p, c, _):
        return p

    def consumers(p, c, _):
        return c

    if figure.name in ("throughput", "pinning"):
        yield from lines("", "producers = consumers", producers, cpus / 2)
    elif figure.name == "ratios":
        yield from lines("", "producers/consumers", lambda p, c, _: f"{p}/{c}")
    elif figure.name == "chunks":
        yield from lines("", CHUNK, lambda p, c, label: int(label.rsplit(" ", 1)[1]))
    elif figure.name == "hindered":
        yield from lines("", HINDRANCE, lambda p, c, label: label.split(" ", 2)[2]
                         if label.count(" ") > 1 else "as others")
    else:
        yield from lines("", "consumers", consumers, cpus - 1, lambda p, c: p == 1)
        yield from lines("-one-consumer", "producers", producers, cpus - 1,
                         lambda p, c: c == 1 and figure.name == "one-producer")
