# SPDX-License-Identifier: Apache-2.0
"""The figures of the paper, and the loads that each is made of. What a figure compares is measured in turn, neighbours first."""

from dataclasses import dataclass
from typing import Callable

from .load import Load
from .program import PEERS, OURS

BASE = "salsa"
MOST_THREADS = 8  # on a side
CHUNKS = (16, 64, 128, 256, 512, 1000, 2048, 4096)  # among them what the paper found best
BALANCED_PAIRS = {"salsa": "salsa-unbalanced", "salsa-cas": "salsa-cas-unbalanced"}


@dataclass(frozen=True)
class PoolFigure:
    name: str
    published: str  # where
    title: str
    variants: tuple | None  # None: those that have chunks
    loads: Callable  # (variants, most threads on a side) -> loads
    compared: str  # heading of the column of ratios
    reference: Callable  # load -> that which it is compared with

    @property
    def section(self):
        return f"pool-{self.name}"


def sizes(most):
    """1, 2, 4 … up to `most`, and that."""
    return sorted({n for n in (1, 2, 4) if n < most} | {most})


def splits(threads):
    """(producers, consumers) of so many threads: one against all others, a quarter, halves, and so on."""
    producers = sorted({1, threads // 4, threads // 2, threads - threads // 4, threads - 1})
    return [(p, threads - p) for p in producers if 0 < p < threads]


def _sides(sides):
    return lambda variants, most: [Load(v, p, c) for p, c in sides(most) for v in variants]


def _pinning(variants, most):
    return [Load(v, n, n, pinned=pinned) for n in sizes(most) for v in variants for pinned in (True, False)]


def _chunks(variants, most):
    n = min(2, most)
    return [Load(v, n, n, chunk=chunk) for chunk in CHUNKS for v in variants]


def _one_side(most):
    return [(1, n) for n in sizes(most)] + [(n, 1) for n in sizes(most) if n > 1]


def _salsa(load):
    return load.of(variant=BASE)


_ALL = (*OURS, *PEERS)
FIGURES = {f.name: f for f in (
    PoolFigure("throughput", "figure 1.4a", "as many producers as consumers", _ALL,
               _sides(lambda most: [(n, n) for n in sizes(most)]), "salsa by it", _salsa),
    PoolFigure("ratios", "figure 1.4b", "the same threads, more of one kind", _ALL, _sides(splits), "salsa by it", _salsa),
    PoolFigure("one-producer", "figure 1.5a", "one producer or one consumer", _ALL, _sides(_one_side), "salsa by it", _salsa),
    PoolFigure("balancing", "figure 1.6", "one producer, with and without balancing by producers",
               tuple(v for pair in BALANCED_PAIRS.items() for v in pair), _sides(lambda most: [(1, n) for n in sizes(most)]),
               "salsa by it", _salsa),
    PoolFigure("pinning", "figure 1.7", "threads pinned to CPUs and not", (BASE,), _pinning, "pinned by it",
               lambda load: load.of(pinned=True)),
    PoolFigure("chunks", "figure 1.8", "the size of chunks", None, _chunks, "chunk of 1000 by it",
               lambda load: load.of(chunk=1000)),
)}
