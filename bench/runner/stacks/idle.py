# SPDX-License-Identifier: Apache-2.0
"""Idle workers that sleep against idle workers that search on (Williams and Elliott 2024, figures 5
and 6: its lazy and its busy scheduler)."""

from ..charts import Bars
from ..tables import nested, pivot
from .figure import DEFAULT, Figure

LAZY, BUSY = "lazy", "busy"
# The benchmarks of the paper; uts has two trees.
PROGRAMS = ("fib", "integrate", "matmul", "nqueens", "uts_geometric", "uts_binomial")


def jobs(asked, programs):
    return [asked.job(v, p, f"{v.workload} {v.name} {policy}", {"NOPAL_IDLE": policy})
            for v in programs.variants if v.family == "nopal" and asked.has(v, PROGRAMS)
            for p in asked.workers_or([1, 2]) for policy in (BUSY, LAZY)]


def cases(results):
    """over_busy: the time with idle workers that sleep over that with those that search on."""
    found = []
    for label, p in results.keys():
        program, _, policy = label.rpartition(" ")
        ratio = results.ratio((label, p), (f"{program} {BUSY}", p))
        if policy == LAZY and ratio is not None:
            found.append({"label": program.replace(f" {DEFAULT}", " "), "workers": p,
                          "rounds": ratio.number, "over_busy": ratio})
    return found


def _ratios(section):
    return ((c["label"], f"P = {c['workers']}", c["over_busy"]) for c in section.cases)


def table(section):
    """By program and front end."""
    return pivot("T_lazy/T_busy", _ratios(section))


def charts(section):
    yield Bars("idle", "Time with idle workers that sleep over that with those that search on.",
               "T_lazy/T_busy", nested(_ratios(section)), 1)


IDLE = Figure("idle", "idle workers that sleep against idle workers that search on",
              "Williams and Elliott 2024, figures 5 and 6", jobs, cases, table, charts,
              note="Lazy workers sleep in the kernel while there is nothing to steal; busy workers "
                   "search on, and take a CPU each all the time.")
