# SPDX-License-Identifier: Apache-2.0
"""The figures about pools (Gidron and others 2012, section 1.6, and two more): what is measured,
what is kept, and what is shown. What a figure compares is measured in turn, neighbours first."""

from dataclasses import dataclass
from typing import Callable

from ..charts import Lines
from ..ratios import Spread, megabytes, without_none
from ..tables import Table, middle, nested, number, pivot, spread
from .load import COUNTED, ORDER, OURS, PEERS, Load

BASE = "salsa"
MOST_THREADS = 8  # on a side
CHUNKS = (16, 64, 128, 256, 512, 1000, 2048, 4096)  # among them what the paper found best
BALANCED = ("salsa", "salsa-cas", "concurrent-bag")
SLOW = "slow 64"  # steps of work for each element, some ten times what a get costs
MARK, NOTE = " *", "* more threads than CPUs"
ONE_NODE_NOTE = "this machine has one NUMA node: memory on one node is the same as anywhere"


@dataclass(frozen=True)
class PoolFigure:
    name: str
    published: str | None  # as which figure of the paper
    what: str
    variants: tuple | None  # None: those that have chunks
    sides: Callable  # most threads on a side -> pairs of producers and consumers
    kinds: tuple = ("",)  # of loads
    compared: str | None = "salsa by it"  # heading of the column of ratios, if there is one
    reference: str | None = None  # kind with which its own is compared; None: with salsa
    quantity: str = "million elements/s"
    note: str = ""

    @property
    def section(self):
        return f"pool-{self.name}"

    @property
    def origin(self):
        return f"{self.published} of the paper" if self.published else "not in the paper"

    def loads(self, variants, most):
        return [Load(v, *pair, kind) for pair in self.sides(most) for v in variants
                for kind in self.kinds]

    def cases(self, results):
        """value: million elements a second or, in pool-swaps, compare-and-swaps for an element;
        compared: what the figure says."""
        found = []
        for label, threads in results.keys():
            load, records = Load.parse(label), results.records(label, threads)
            reference = (load.of(variant=BASE) if self.reference is None
                         else load.of(kind=self.reference))
            found.append(without_none({
                "label": label, "workers": threads, "value": Spread.of(
                    run["compare_and_swaps"] / run["put"] for r in records
                    for run in r["repetitions"]) if load.kind == COUNTED else Spread.of(
                    rate / 1e6 for r in records for rate in r["tasks_per_second"]),
                "rounds": len({r["round"] for r in records}),
                # The inverse of the times for a million elements.
                "compared": results.ratio(load.key, reference.key)
                if self.compared and reference != load else None,
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
                         load.kind, spread(c["value"]), spread(c.get("compared")), c["rounds"],
                         number(c.get("peak_mb"))])
        return Table(["variant", "producers/consumers", "", self.quantity,
                      self.compared or "compared", "runs", "peak RSS, MB"], rows,
                     f"{NOTE}\n" if any(MARK in row[1] for row in rows) else "")

    def charts(self, section):
        """A line for each variant, by the sides, or by a kind that has a number or hinders."""
        def point(load, value):
            if self.name in ("chunks", "hindered"):
                x = load.kind.split(" ")[0] or "as others"
                return load.variant, load.number if self.name == "chunks" else x, value
            return f"{load.variant} {load.kind}".removesuffix(COUNTED).rstrip(), load.sides, value

        curves = nested(point(Load.parse(c["label"]), c["value"]) for c in section.cases)
        if any(len(points) > 1 for points in curves.values()):
            axis = {"chunks": "elements in a chunk", "hindered": "first consumer"}
            yield Lines(self.section, f"{self.what} ({self.origin}).",
                        axis.get(self.name, "producers/consumers"), self.quantity, curves)


def sizes(most):
    """1, 2, 4 … up to `most`, and that."""
    return sorted({n for n in (1, 2, 4) if n < most} | {most})


def splits(threads):
    """(producers, consumers) of so many threads: one against all others, a quarter, halves, and so
    on."""
    producers = sorted({1, threads // 4, threads // 2, threads - threads // 4, threads - 1})
    return [(p, threads - p) for p in producers if 0 < p < threads]


def _equal(most):
    return [(n, n) for n in sizes(most)]


def _one_producer(most):
    return [(1, n) for n in sizes(most)]


def _one_side(most):
    return _one_producer(most) + [(n, 1) for n in sizes(most) if n > 1]


_ALL = (*OURS, *PEERS)
FIGURES = {f.name: f for f in (
    PoolFigure("throughput", "figure 1.4a", "as many producers as consumers", _ALL, _equal),
    PoolFigure("ratios", "figure 1.4b", "the same threads, more of one kind", _ALL, splits),
    PoolFigure("one-producer", "figure 1.5a", "one producer or one consumer", _ALL, _one_side),
    PoolFigure("swaps", "figure 1.5b", "compare-and-swaps for an element, one producer", OURS,
               _one_producer, (COUNTED,), None, quantity="compare-and-swaps/element"),
    PoolFigure("balancing", "figure 1.6", "one producer, with and without balancing by producers",
               tuple(v + kind for v in BALANCED for kind in ("", "-unbalanced")),
               _one_producer),
    PoolFigure("pinning", "figure 1.7",
               "threads pinned to CPUs and not, and all memory on one NUMA node", (BASE,), _equal,
               ("", "not pinned", "memory on one node"), "pinned by it", ""),
    PoolFigure("alone", None, "one producer, and whether it has its CPU to itself", BALANCED,
               _one_producer, ("", "producers alone"), "alone by it",
               "producers alone"),
    PoolFigure("hindered", None, "one consumer slow, or stalled", (*BALANCED, "ms-queue"),
               lambda most: [(1, max(2, most))], ("", SLOW, "stalled"), "by it, unhindered", ""),
    PoolFigure("chunks", "figure 1.8", "the size of chunks", None,
               lambda most: [(min(2, most), min(2, most))],
               tuple(f"chunk {n}" for n in CHUNKS), "chunk of 1000 by it", "chunk 1000"),
)}
OF_SECTION = {f.section: f for f in FIGURES.values()}


def variants_of(figure, wanted, program):
    """The variants of a figure: its own, and of those asked for whatever the figure can show."""
    if figure.name == "chunks":
        able = [v for v, chunk in program.chunks.items()
                if chunk is not None and (wanted or not v.endswith("-unbalanced"))]
    elif figure.name in ("balancing", "swaps", "alone", "hindered") or not wanted:
        able = [v for v in ORDER if v in figure.variants]
    else:
        able = program.variants
    return [v for v in able if v in program.chunks and (not wanted or v in wanted)]


# --- the documents' tables


def throughput(committed):
    """Million elements a second, and how many times each the default has."""
    loads = {variant: [Load(variant, n, n) for n in (1, 2)] for variant in ORDER}
    section = committed.section("pool-throughput")
    return pivot("producers/consumers", (
        (variant, column, c.get(key)) for variant, of in loads.items()
        if all(section.case(*load.key) for load in of)
        for load in of for c in [section.case(*load.key)]
        for key, column in (("value", f"{load.sides}, million/s"),
                            ("compared", f"{BASE} over it, {load.sides}"))))


def chunks(committed):
    """Million elements a second by the number of elements in a chunk."""
    loads = [(Load.parse(c["label"]), c["value"]) for c in committed.section("pool-chunks").cases]
    return pivot("elements in a chunk", (
        (f"{load.variant}, {load.sides}", load.number, value)
        for load, value in sorted(loads, key=lambda pair: pair[0].number)),
        lambda value: number(value and middle(value)))


def by_sides(name, wanted=lambda load: True):
    """The table of a figure: a row for each variant, or for each way to pin, a column for each pair
    of producers and consumers."""
    def table(committed):
        loads = [(Load.parse(c["label"]), c["value"])
                 for c in committed.section(f"pool-{name}").cases]
        return pivot("producers/consumers", (
            ((load.kind or "pinned") if name == "pinning" else load.variant, load.sides, value)
            for load, value in loads if wanted(load)))
    return table
