# SPDX-License-Identifier: Apache-2.0
"""What figures show of the records."""

from dataclasses import dataclass
from typing import Callable

from ..ratios import Spread


@dataclass(frozen=True)
class Quantity:
    name: str
    heading: str  # in tables
    of: Callable  # records -> its spread, or None
    may_be_logarithmic: bool = True


def _throughput(records):
    return Spread.of(rate / 1e6 for r in records for rate in r["tasks_per_second"])


def _swaps(records):
    """Of all threads, from the first task to the last."""
    return Spread.of(found["compare_and_swaps"] / found["put"] for r in records
                     for found in r["repetitions"])


THROUGHPUT = Quantity("million tasks a second", "million tasks/s", _throughput)
# That one is next to nothing is what there is to see.
SWAPS = Quantity("compare-and-swaps for a task", "compare-and-swaps/task", _swaps,
                 may_be_logarithmic=False)
