# SPDX-License-Identifier: Apache-2.0
"""Idle workers that sleep against idle workers that search on (Williams and Elliott 2024, figures 5
and 6: its lazy and its busy scheduler)."""

from .figure import Compared

# The benchmarks of the paper; uts has two trees.
PROGRAMS = ("fib", "integrate", "matmul", "nqueens", "uts_geometric", "uts_binomial")


class Idle(Compared):
    def jobs(self, asked, programs):
        return [asked.job(v, policy, p, {"NOPAL_IDLE": policy})
                for v in programs.of("nopal") if asked.has(v, PROGRAMS)
                for p in asked.workers_or([1, 2]) for policy in (self.reference, *self.ways)]


IDLE = Idle("idle", "idle workers that sleep against idle workers that search on",
            "Williams and Elliott 2024, figures 5 and 6",
            note="Lazy workers sleep in the kernel while there is nothing to steal; busy workers "
                 "search on, and take a CPU each all the time.",
            reference="busy", ways={"lazy": ""}, ratio="T_lazy/T_busy")
