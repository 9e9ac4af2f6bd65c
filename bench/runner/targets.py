# SPDX-License-Identifier: Apache-2.0
"""What nopal promises to reach, beside what was measured.

A target whose measurements are not there is left out; so is nothing else.
"""

from dataclasses import dataclass
from statistics import geometric_mean

from .tables import SERIAL, Table, number


@dataclass(frozen=True)
class Target:
    what: str
    measured: float
    must: float | None
    aim: float | None
    at_most: bool  # else: at least

    def reaches(self, bound):
        return self.measured <= bound if self.at_most else self.measured >= bound

    @property
    def verdict(self):
        if self.must is not None and not self.reaches(self.must):
            return "MISSED"
        if self.aim is None or self.reaches(self.aim):
            return "reached"
        return "must reached, aim not" if self.must is not None else "aim not reached"


def table(found):
    """A row for each target."""
    def bound(target, value):
        return number(None) if value is None else f"{'≤' if target.at_most else '≥'} {value:g}"

    return Table(["target", "measured", "must", "aim", "verdict"],
                 [[t.what, number(t.measured), bound(t, t.must), bound(t, t.aim), t.verdict]
                  for t in found])


def of_ratio(results, what, over, under, must, aim, at_most=False):
    """The target of a ratio's median; nothing where it was not measured."""
    if ratio := results.ratio(over, under):
        yield Target(what, ratio.median, must, aim, at_most)


FRONT_ENDS = ("nopal-invoke", "nopal-frame", "nopal-task")
# Those whose work is not next to nothing beside the forks.
CLASSIC = ("cholesky", "cilksort", "fft", "heat", "knapsack", "lu", "matmul", "nqueens",
           "quicksort", "rectmul", "strassen")
MEMORY = ("fib", "uts_binomial")
NO_PARALLELISM = ("loop", "spawn")  # one function whose children are shorter than a steal
SPEEDUPS = ("fib", "nqueens", "integrate")
FORK_PRICE = {"nopal-invoke": (2.5, 2.0), "nopal-frame": (3.2, 2.5)}  # must and aim in fib
# Workloads, a peer, the ways to use it, of which the fastest counts, and how many times nopal's
# time it must take, and is aimed at.
PEERS = (
    (("fib", "skynet"), "chili", ("chili",), 1.0, 1.2),
    (("fib", "skynet"), "rayon", ("rayon",), 2.5, None),
    (("skynet", "nqueens", "uts_geometric", "uts_binomial", "matmul", "cilksort"), "Lace",
     ("lace-spawn",), 1.0, 1.2),
    (("fib",), "Lace", ("lace-spawn",), 0.75, 1.0),
    (("fib",), "oneTBB", ("tbb-invoke", "tbb-group"), 15, 30),
    (("fib",), "libgomp", ("openmp-gnu",), 15, 30),
    (("fib",), "libomp", ("openmp-llvm",), 15, 30),
    (("fib",), "libfork", ("libfork-lazy", "libfork-busy", "libfork-llvm-lazy",
                           "libfork-llvm-busy"), 4, 6))


def workload_targets(workload, n, results):
    """Overhead, speedup and comparison with the peers, of one section."""
    name = f"{workload}({n})"
    for label, (must, aim) in FORK_PRICE.items() if workload == "fib" else ():
        yield from of_ratio(results, f"{name}, {label}, T_1/T_s", (label, 1), (SERIAL, 1), must,
                            aim, True)
    for label in FRONT_ENDS if workload in SPEEDUPS else ():
        yield from of_ratio(results, f"{name}, {label}, T_1/T_2", (label, 1), (label, 2), 1.90,
                            1.98)
    for workloads, peer, labels, must, aim in PEERS:
        for p in (1, 2) if workload in workloads else ():
            ratios = [ratio.median for label in labels
                      if (ratio := results.ratio((label, p), ("nopal-invoke", p)))]
            if ratios:
                yield Target(f"{name}, {peer} over nopal-invoke, P = {p}", min(ratios), must, aim,
                             False)
    for label in ("nopal-frame", "nopal-task") if workload == "loop" else ():
        for p in (1, 2):
            long, short = (results.peak_rss(of, p) for of in (label, f"{label}@n/100"))
            if long and short:
                yield Target(f"{name}, {label}, peak RSS over that of a loop of 1/100, MB, P = {p}",
                             (long - short) / 1e6, 1.0, 0.1, True)


def memory_against_peers(workload, name, results):
    """What the workers of nopal's smaller variant take, over the smallest peer's."""
    own, peer = (min(((size, label) for label in labels
                      if (size := results.rss_of_workers(label, 2))), default=None)
                 for labels in (results.own, results.peers))
    if workload in MEMORY and own and peer:
        yield Target(f"{name}, RSS of the workers, {own[1]} over {peer[1]}, P = 2",
                     own[0] / peer[0], 1.0, 0.5, True)


def against_peers(name, results):
    """Speedup of nopal's best variant, and its time over that of the peer that comes nearest or
    wins.

    A peer is compared with nopal by the same compiler, where there is such; ratios are formed
    within rounds.
    """
    own = results.own
    best = results.best(own, 2) if name not in NO_PARALLELISM else None
    yield from of_ratio(results, f"{name}, {best}, T_1/T_2", (best, 1), (best, 2), 1.85, 1.97)
    for p in (1, 2):
        ratios = [(ratio.median, f"{name}, {best} over {peer}, P = {p}")
                  for peer in results.peers
                  if (best := results.best(results.by_same_compiler(peer, own), p))
                  and (ratio := results.ratio((best, p), (peer, p)))]
        if ratios:
            ratio, what = max(ratios)
            yield Target(what, ratio, 1.03, 1.0, True)


def overhead_of_classics(sections):
    """Geometric mean of T_1/T_s, nopal's best variant in each. `sections`: pairs of a workload's
    name and its results."""
    least = []
    for name, results in sections:
        ratios = [ratio.median for label in results.own
                  for serial in results.by_same_compiler(label, results.serials)
                  if (ratio := results.ratio((label, 1), (serial, 1)))]
        if name in CLASSIC and ratios:
            least.append(min(ratios))
    if least:
        yield Target(f"T_1/T_s of nopal's best variants, geometric mean of {len(least)} classic "
                     "workloads", geometric_mean(least), 1.05, 1.01, True)
