# SPDX-License-Identifier: Apache-2.0
"""What the pool promises to reach, beside what was measured."""

from ..targets import Target
from .figures import BASE
from .load import Load
from .program import PEERS
from .tables import loads

# Variant -> by how many times salsa's throughput must be more, and what is aimed at: the paper's.
OWN = {"salsa-cas": (1.5, 1.7), "concurrent-bag": (2, 3.5), "ms-queue": (6, 20),
       "lifo-stack": (6, 20)}
PEER_MUST, BEST_PEER_AIM = 1, 2
ONE_PRODUCER_MUST = 0.9


def _by(results, load):
    """salsa's throughput by that of another variant under the same load: the median of the rounds,
    or None."""
    ratio = results.ratio(load.key, load.of(variant=BASE).key)
    return ratio and ratio.median


def throughput_targets(results):
    found = []
    for n in (1, 2):
        for variant, (must, aim) in OWN.items():
            if (ratio := _by(results, Load(variant, n, n))) is not None:
                found.append(Target(f"pool {n}/{n}, salsa over {variant}", ratio, must, aim, False))
        ratios = {v: ratio for v in PEERS if (ratio := _by(results, Load(v, n, n))) is not None}
        best = min(ratios, key=ratios.get, default=None)
        for variant, ratio in ratios.items():
            which = f"{variant}, the best peer" if variant == best else variant
            aim = BEST_PEER_AIM if variant == best else None
            found.append(Target(f"pool {n}/{n}, salsa over {which}", ratio, PEER_MUST, aim, False))
    return found


def one_producer_targets(results):
    """The number of consumers with which least comes out, over one consumer."""
    one = Load(BASE, 1, 1)
    ratios = {load.consumers: ratio.median for load in loads(results)
              if load.variant == BASE and load.producers == 1 and load.consumers > 1
              and (ratio := results.ratio(one.key, load.key)) is not None}
    if not ratios:
        return []
    worst = min(ratios, key=ratios.get)
    return [Target(f"pool, salsa, one producer: throughput with {worst} consumers, the worst of "
                   f"{min(ratios)} to {max(ratios)}, "
                   "over that with one", ratios[worst], ONE_PRODUCER_MUST, None, False)]


def targets_of(section, results):
    return {"pool-throughput": throughput_targets, "pool-one-producer": one_producer_targets}.get(
        section, lambda _: [])(results)
