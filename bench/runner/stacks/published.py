# SPDX-License-Identifier: Apache-2.0
"""What Lee, Boyd-Wickizer, Huang and Leiserson, PACT 2010, found with Cilk-M 1.0 and Cilk-5 and 16
workers, the most of ten runs, in pages of 4 KiB."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Found:
    each: float  # figure 9: S_16/16 of Cilk-M
    stacks: int  # figure 10: S_16 and H_16 of Cilk-M, and the sum of both of Cilk-5
    heap: int
    cilk5: int


FOUND = {"cholesky": Found(3.19, 51, 193, 361), "cilksort": Found(3.19, 51, 193, 281),
         "fft": Found(3.75, 60, 169, 1065), "fib": Found(3.69, 59, 169, 201),
         "fibx": Found(8.44, 135, 217, 281), "heat": Found(2.38, 38, 209, 289),
         "knapsack": Found(5.00, 80, 169, 377), "lu": Found(3.19, 51, 185, 281),
         "matmul": Found(3.31, 53, 169, 273), "nqueens": Found(3.25, 52, 161, 265),
         "rectmul": Found(4.06, 65, 169, 272), "strassen": Found(3.13, 50, 161, 433)}
PROGRAMS = tuple(FOUND)
# Pfeiffer 2020, table 5.1, has these instead of cilksort and fibx.
PFEIFFER = ("integrate", "quicksort")
WORKERS = 16
MOST_DRAWN = 24


def found(label):
    """Of a workload, also if the label has more: fib(42) frame."""
    return FOUND.get(label.split(" ")[0].split("(")[0])


def drawn(rows):
    """Where there are many programs, those of the paper."""
    return {label: of for label, of in rows.items() if len(rows) <= MOST_DRAWN or found(label)}
