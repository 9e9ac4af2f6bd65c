# SPDX-License-Identifier: Apache-2.0
"""Trees whose nodes nobody enumerates: a node knows how many units of work its subtree has, and is
divided only when somebody asks for its children. The division is the same each time."""

import math
from typing import NamedTuple

_MASK = (1 << 64) - 1


class Node(NamedTuple):
    size: float  # units of work: nodes of a tree, elements of a range
    height: int  # generations below, as far as the tree knows
    key: int = 0


class _Chance:
    """Random numbers of a node (splitmix64)."""

    def __init__(self, key):
        self.state = key & _MASK

    def bits(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & _MASK
        z = self.state
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & _MASK
        z = (z ^ z >> 27) * 0x94D049BB133111EB & _MASK
        return z ^ z >> 31

    def uniform(self):
        return (self.bits() + 0.5) / 2**64

    def poisson(self, mean):
        if mean > 30:  # so many that only the mean counts
            return max(0, round(mean + math.sqrt(mean) * (12 * self.uniform() - 6) / 3.46))
        n, product, limit = 0, self.uniform(), math.exp(-mean)
        while product > limit:
            n, product = n + 1, product * self.uniform()
        return n


class Even:
    """A binary tree for fold_tree. Both children of a node are equally large."""

    own = 1.0  # the units of a node itself
    node_bytes = 24
    result_bytes = 24

    def __init__(self, units, _ranks, _seed=0):
        self.root = Node(float(units), 0)
        self.indivisible = 0.0

    def children(self, node):
        if node.size < 3:
            return []
        half = (node.size - self.own) / 2
        return [Node(half, 0), Node(half, 0)]


class Range:
    """What fold_range makes of a range: halves, until a part is a 64th of what falls to a rank."""

    own = 0.0
    node_bytes = 16
    result_bytes = 8

    def __init__(self, units, ranks, _seed=0):
        self.root = Node(float(units), 0)
        self.indivisible = units / (64 * ranks)  # between ranks; workers of a rank share it

    def children(self, node):
        if node.size <= self.indivisible:
            return []
        return [Node(node.size / 2, 0), Node(node.size / 2, 0)]


class Unbalanced:
    """A tree with the shape of UTS's geometric trees of fixed depth, such as T1L: a node has k
    children with probability (1/5) (4/5)^k, four on an average.

    The size of such a subtree of h generations, over 4^h, tends to a known distribution: with
    probability 1/4 it dies out early, otherwise it is exponential. Given the size of a node, the
    number of those of its children that do not die out is therefore 1 more than a Poisson variable,
    their sizes are the spacings of points at random, and the number of those that die out is
    negative binomial. (Athreya and Ney, Branching Processes, 1972, chapter I.)"""

    own = 1.0
    node_bytes = 24
    result_bytes = 24

    def __init__(self, units, _ranks, seed=0):
        self.root = Node(float(units), max(1, round(math.log(units * 0.75, 4))), seed)
        self.indivisible = 0.0

    def children(self, node):
        rest = round(node.size) - 1
        if rest < 1 or node.height == 0:
            return []
        chance = _Chance(node.key)
        height = node.height - 1
        if height == 0:
            return [Node(1.0, 0)] * rest
        expected = node.size / (4.0**node.height * 4 / 3)
        large = min(rest, 1 + chance.poisson(2.25 * expected))
        small = 0  # negative binomial: successes before large + 1 failures
        failures = 0
        while failures <= large:
            if chance.uniform() < 0.2:
                small += 1
            else:
                failures += 1
        small = min(small, rest - large)
        shared = rest - large - small
        cuts = sorted(round(shared * chance.uniform()) for _ in range(large - 1))
        sizes = [b - a + 1 for a, b in zip([0, *cuts], [*cuts, shared])]
        for _ in range(small):
            sizes.insert(chance.bits() % (len(sizes) + 1), 1)
        return [Node(float(s), height, chance.bits()) for s in sizes]


TREES = {"even": Even, "range": Range, "unbalanced": Unbalanced}
