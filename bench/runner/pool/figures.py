# SPDX-License-Identifier: Apache-2.0
"""The figures of the paper (Gidron and others 2012, section 1.6): the loads that each is made of,
what is kept of them, and what is shown. What a figure compares is measured in turn, neighbours
first."""

from dataclasses import dataclass
from typing import Callable

from ..charts import Lines
from ..ratios import Spread, megabytes, without_none
from ..tables import Table, nested, number, pivot, spread
from .load import Load
from .program import ORDER, OURS, PEERS

BASE = "salsa"
MOST_THREADS = 8  # on a side
CHUNKS = (16, 64, 128, 256, 512, 1000, 2048, 4096)  # among them what the paper found best
BALANCED_PAIRS = {"salsa": "salsa-unbalanced", "salsa-cas": "salsa-cas-unbalanced",
                  "concurrent-bag": "concurrent-bag-unbalanced"}
SLOW_STEPS = 64  # of work for each element, some ten times what a get costs
MARK, NOTE = " *", "* more threads than CPUs"
ONE_NODE_NOTE = "this machine has one NUMA node: memory on one node is the same as anywhere"
# Each has the colour of a library: of its own if it is one, else of one that is not among them.
LIBRARIES = {"salsa": "nopal", "salsa-cas": "libfork", "concurrent-bag": "rayon",
             "ms-queue": "libgomp", "lifo-stack": "libomp", "moodycamel": "TooManyCooks",
             "tbb-queue": "oneTBB", "boost-queue": "Taskflow", "mutex-deque": "serial"}


def million_elements(records):
    """A second."""
    return Spread.of(rate / 1e6 for r in records for rate in r["tasks_per_second"])


def swaps_of_an_element(records):
    """Of all threads, from the first element to the last."""
    return Spread.of(found["compare_and_swaps"] / found["put"] for r in records
                     for found in r["repetitions"])


@dataclass(frozen=True)
class PoolFigure:
    name: str
    published: str | None  # as which figure of the paper
    what: str
    variants: tuple | None  # None: those that have chunks
    loads: Callable  # (variants, most threads on a side) -> loads
    x: tuple  # the axis below: its name, a load's place on it, and CPUs -> as many threads
    compared: str | None = None  # heading of the column of ratios, if there is one
    reference: Callable | None = None  # load -> that which it is compared with
    quantity: str = "million elements/s"
    of: Callable = million_elements
    note: str = ""

    @property
    def section(self):
        return f"pool-{self.name}"

    @property
    def origin(self):
        return f"{self.published} of the paper" if self.published else "not in the paper"

    def cases(self, results):
        """value: million elements a second or, in pool-swaps, compare-and-swaps for an element;
        compared: what the figure says."""
        found = []
        for label, threads in results.keys():
            load, records = Load.parse(label), results.records(label, threads)
            reference = self.reference(load) if self.reference else load
            # The inverse of the times for a million elements.
            ratio = results.ratio(load.key, reference.key) if reference != load else None
            found.append(without_none({
                "label": label, "workers": threads, "value": self.of(records),
                "rounds": len({r["round"] for r in records}), "compared": ratio,
                "peak_mb": megabytes(results.peak_rss(label, threads)),
                # For a target: with several consumers, over one.
                "over_one": results.ratio(Load(BASE, 1, 1).key, load.key)
                if self.name == "one-producer" and load.consumers > 1 else None}))
        return found

    def table(self, section):
        """A row for each load. A mark says that there are more threads than CPUs."""
        rows = []
        for c in section.cases:
            load = Load.parse(c["label"])
            rows.append([load.variant, load.sides + (MARK if load.threads > section.cpus else ""),
                         load.more, spread(c["value"]), spread(c.get("compared")), c["rounds"],
                         *([number(c["peak_mb"])] if "peak_mb" in c else [])])
        memory = ["peak RSS, MB"] if any("peak_mb" in c for c in section.cases) else []
        return Table(["variant", "producers/consumers", "", self.quantity,
                      self.compared or "compared", "runs", *memory], rows,
                     f"{NOTE}\n" if any(MARK in row[1] for row in rows) else "")

    def charts(self, section):
        """A line for each variant; in `one-producer` also of one consumer."""
        yield from self._lines(section, "", *self.x)
        if self.name == "one-producer":
            yield from self._lines(section, "-one-consumer", *PRODUCERS)

    def _lines(self, section, suffix, axis, place, fit):
        points = []
        for c in section.cases:
            load = Load.parse(c["label"])
            if (x := place(load)) is not None:
                name = load.of(chunk=None, slow=None, stalled=False, counted=False)
                points.append((f"{name.variant} {name.more}".rstrip(), x, c["value"]))
        xs, curves = {x for _, x, _ in points}, nested(points)
        at = fit and fit(section.cpus)
        if len(xs) > 1:
            yield Lines(f"{self.section}{suffix}", f"{self.what} ({self.origin}).", axis,
                        self.quantity, curves,
                        cpus=(section.cpus, at) if at and min(xs) <= at <= max(xs) else None,
                        libraries={name: LIBRARIES[name] for name in curves if name in LIBRARIES})


EACH = ("producers = consumers", lambda load: load.producers, lambda cpus: cpus / 2)
CONSUMERS = ("consumers", lambda load: load.consumers if load.producers == 1 else None,
             lambda cpus: cpus - 1)
PRODUCERS = ("producers", lambda load: load.producers if load.consumers == 1 else None,
             lambda cpus: cpus - 1)


def sizes(most):
    """1, 2, 4 … up to `most`, and that."""
    return sorted({n for n in (1, 2, 4) if n < most} | {most})


def splits(threads):
    """(producers, consumers) of so many threads: one against all others, a quarter, halves, and so
    on."""
    producers = sorted({1, threads // 4, threads // 2, threads - threads // 4, threads - 1})
    return [(p, threads - p) for p in producers if 0 < p < threads]


def _loads(sides, *kinds):
    """What a figure measures: every kind of every variant, by the numbers of producers and
    consumers."""
    return lambda variants, most: [Load(v, *pair, **kind) for pair in sides(most) for v in variants
                                   for kind in kinds or ({},)]


def _chunks(variants, most):
    n = min(2, most)
    return [Load(v, n, n, chunk=chunk) for chunk in CHUNKS for v in variants]


def _equal(most):
    return [(n, n) for n in sizes(most)]


def _one_producer(most):
    return [(1, n) for n in sizes(most)]


def _one_side(most):
    return _one_producer(most) + [(n, 1) for n in sizes(most) if n > 1]


def _salsa(load):
    return load.of(variant=BASE)


_ALL = (*OURS, *PEERS)
FIGURES = {f.name: f for f in (
    PoolFigure("throughput", "figure 1.4a", "as many producers as consumers", _ALL,
               _loads(_equal), EACH, "salsa by it", _salsa),
    PoolFigure("ratios", "figure 1.4b", "the same threads, more of one kind", _ALL, _loads(splits),
               ("producers/consumers", lambda load: load.sides, None), "salsa by it", _salsa),
    PoolFigure("one-producer", "figure 1.5a", "one producer or one consumer", _ALL,
               _loads(_one_side), CONSUMERS, "salsa by it", _salsa),
    PoolFigure("swaps", "figure 1.5b", "compare-and-swaps for an element, one producer", OURS,
               _loads(_one_producer, {"counted": True}), CONSUMERS,
               quantity="compare-and-swaps/element", of=swaps_of_an_element),
    PoolFigure("balancing", "figure 1.6", "one producer, with and without balancing by producers",
               tuple(v for pair in BALANCED_PAIRS.items() for v in pair), _loads(_one_producer),
               CONSUMERS, "salsa by it", _salsa),
    PoolFigure("pinning", "figure 1.7",
               "threads pinned to CPUs and not, and all memory on one NUMA node", (BASE,),
               _loads(_equal, {}, {"pinned": False}, {"one_node": True}), EACH, "pinned by it",
               lambda load: load.of(pinned=True, one_node=False)),
    PoolFigure("alone", None, "one producer, and whether it has its CPU to itself",
               (BASE, "salsa-cas", "concurrent-bag"),
               _loads(_one_producer, {}, {"producers_alone": True}), CONSUMERS, "alone by it",
               lambda load: load.of(producers_alone=True)),
    PoolFigure("hindered", None, "one consumer slow, or stalled",
               (BASE, "salsa-cas", "concurrent-bag", "ms-queue"),
               _loads(lambda most: [(1, max(2, most))], {}, {"slow": SLOW_STEPS},
                      {"stalled": True}),
               ("first consumer", lambda load: "stalled" if load.stalled else
                "slow" if load.slow else "as others", None), "by it, unhindered",
               lambda load: load.of(slow=None, stalled=False)),
    PoolFigure("chunks", "figure 1.8", "the size of chunks", None, _chunks,
               ("elements in a chunk", lambda load: load.chunk, None), "chunk of 1000 by it",
               lambda load: load.of(chunk=1000)),
)}
OF_SECTION = {f.section: f for f in FIGURES.values()}


def variants_of(figure, wanted, program):
    """The variants of a figure: its own, and of those asked for whatever the figure can show."""
    has_chunks = [v for v, chunk in program.chunks.items() if chunk is not None]
    if figure.name == "chunks":
        able = [v for v in has_chunks if wanted or not v.endswith("-unbalanced")]
    elif figure.name in ("balancing", "swaps", "alone", "hindered") or not wanted:
        able = [v for v in ORDER if v in figure.variants]
    else:
        able = program.variants
    return [v for v in able if v in program.chunks and (not wanted or v in wanted)]


# --- the documents' tables


def throughput(committed):
    """Million elements a second, and how many times each the default has."""
    section = committed.section("pool-throughput")
    rows, sides = [], ((1, 1), (2, 2))
    for variant in ORDER:
        cases = [section.case(*Load(variant, *pair).key) for pair in sides]
        if all(cases):
            rows.append([variant, *(spread(c.get(key)) for c in cases
                                    for key in ("value", "compared"))])
    header = [cell for p, c in sides for cell in (f"{p}/{c}, million/s", f"{BASE} over it")]
    return Table(["producers/consumers", *header], rows)


def chunks(committed):
    """Million elements a second by the number of elements in a chunk."""
    found = [(Load.parse(c["label"]), c["value"]) for c in committed.section("pool-chunks").cases]
    found.sort(key=lambda pair: pair[0].chunk)
    return pivot("elements in a chunk", (
        (f"{load.variant}, {load.sides}", load.chunk, value) for load, value in found),
        lambda value: number(value and value[0]))


def by_sides(name, wanted=lambda load: True):
    """The table of a figure: a row for each variant, or for each way to pin, a column for each pair
    of producers and consumers."""
    def table(committed):
        loads = [(Load.parse(c["label"]), c["value"])
                 for c in committed.section(f"pool-{name}").cases]
        return pivot("producers/consumers", (
            ((load.more or "pinned") if name == "pinning" else load.variant, load.sides, value)
            for load, value in loads if wanted(load)))
    return table
