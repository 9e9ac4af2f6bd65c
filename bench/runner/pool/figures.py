# SPDX-License-Identifier: Apache-2.0
"""The figures of the paper, and the loads that each is made of. What a figure compares is measured
in turn, neighbours first."""

from dataclasses import dataclass
from typing import Callable

from .load import Load
from .program import PEERS, OURS
from .quantity import SWAPS, THROUGHPUT, Quantity

BASE = "salsa"
MOST_THREADS = 8  # on a side
CHUNKS = (16, 64, 128, 256, 512, 1000, 2048, 4096)  # among them what the paper found best
BALANCED_PAIRS = {"salsa": "salsa-unbalanced", "salsa-cas": "salsa-cas-unbalanced",
                  "concurrent-bag": "concurrent-bag-unbalanced"}
SLOW_STEPS = 64  # of work for each element, some ten times what a get costs


@dataclass(frozen=True)
class PoolFigure:
    name: str
    published: str | None  # as which figure of the paper
    title: str
    variants: tuple | None  # None: those that have chunks
    loads: Callable  # (variants, most threads on a side) -> loads
    compared: str | None = None  # heading of the column of ratios, if there is one
    reference: Callable | None = None  # load -> that which it is compared with
    quantity: Quantity = THROUGHPUT

    @property
    def section(self):
        return f"pool-{self.name}"

    @property
    def origin(self):
        return f"{self.published} of the paper" if self.published else "not in the paper"


def sizes(most):
    """1, 2, 4 … up to `most`, and that."""
    return sorted({n for n in (1, 2, 4) if n < most} | {most})


def splits(threads):
    """(producers, consumers) of so many threads: one against all others, a quarter, halves, and so
    on."""
    producers = sorted({1, threads // 4, threads // 2, threads - threads // 4, threads - 1})
    return [(p, threads - p) for p in producers if 0 < p < threads]


def _sides(sides):
    return lambda variants, most: [Load(v, p, c) for p, c in sides(most) for v in variants]


def _pinning(variants, most):
    kinds = [{}, {"pinned": False}, {"one_node": True}]
    return [Load(v, n, n, **kind) for n in sizes(most) for v in variants for kind in kinds]


def _chunks(variants, most):
    n = min(2, most)
    return [Load(v, n, n, chunk=chunk) for chunk in CHUNKS for v in variants]


def _swaps(variants, most):
    return [Load(v, *sides, counted=True) for sides in _one_producer(most) for v in variants]


def _alone(variants, most):
    return [Load(v, *sides, producers_alone=alone) for sides in _one_producer(most)
            for v in variants for alone in (False, True)]


def _hindered(variants, most):
    n = max(2, most)
    return [Load(v, 1, n, **kind) for v in variants
            for kind in ({}, {"slow": SLOW_STEPS}, {"stalled": True})]


def _one_producer(most):
    return [(1, n) for n in sizes(most)]


def _one_side(most):
    return _one_producer(most) + [(n, 1) for n in sizes(most) if n > 1]


def _salsa(load):
    return load.of(variant=BASE)


_ALL = (*OURS, *PEERS)
FIGURES = {f.name: f for f in (
    PoolFigure("throughput", "figure 1.4a", "as many producers as consumers", _ALL,
               _sides(lambda most: [(n, n) for n in sizes(most)]), "salsa by it", _salsa),
    PoolFigure("ratios", "figure 1.4b", "the same threads, more of one kind", _ALL, _sides(splits),
               "salsa by it", _salsa),
    PoolFigure("one-producer", "figure 1.5a", "one producer or one consumer", _ALL,
               _sides(_one_side), "salsa by it", _salsa),
    PoolFigure("swaps", "figure 1.5b", "compare-and-swaps for a task, one producer", OURS, _swaps,
               quantity=SWAPS),
    PoolFigure("balancing", "figure 1.6", "one producer, with and without balancing by producers",
               tuple(v for pair in BALANCED_PAIRS.items() for v in pair), _sides(_one_producer),
               "salsa by it", _salsa),
    PoolFigure("pinning", "figure 1.7",
               "threads pinned to CPUs and not, and all memory on one NUMA node", (BASE,), _pinning,
               "pinned by it", lambda load: load.of(pinned=True, one_node=False)),
    PoolFigure("alone", None, "one producer, and whether it has its CPU to itself",
               (BASE, "salsa-cas", "concurrent-bag"), _alone, "alone by it",
               lambda load: load.of(producers_alone=True)),
    PoolFigure("hindered", None, "one consumer slow, or stalled",
               (BASE, "salsa-cas", "concurrent-bag", "ms-queue"), _hindered, "by it, unhindered",
               lambda load: load.of(slow=0, stalled=False)),
    PoolFigure("chunks", "figure 1.8", "the size of chunks", None, _chunks, "chunk of 1000 by it",
               lambda load: load.of(chunk=1000)),
)}
