# SPDX-License-Identifier: Apache-2.0
"""What nopal promises to reach, beside what was measured.

A target whose measurements are not there is left out; so is nothing else.
"""

from dataclasses import dataclass
from statistics import geometric_mean

from .ratios import space
from .tables import SERIAL, number


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


FRONT_ENDS = ("nopal-invoke", "nopal-frame", "nopal-task")
# front end, must, aim: fib by the serial function
FORK_PRICE = (("invoke", 2.5, 2.0), ("frame", 3.2, 2.5))

# Those whose work is not next to nothing beside the forks.
CLASSIC = ("cholesky", "cilksort", "fft", "heat", "knapsack", "lu", "matmul", "nqueens",
           "quicksort", "rectmul", "strassen")
MEMORY = ("fib", "uts_binomial")
NO_PARALLELISM = ("loop", "spawn")  # one function whose children are shorter than a steal


def _median(spread):
    return None if spread is None else spread.median


def workload_targets(workload, n, results):
    """Overhead, speedup and comparison with the peers, of one section."""
    found = []

    def add(what, measured, must, aim, at_most):
        if measured is not None:
            found.append(Target(what, measured, must, aim, at_most))

    name = f"{workload}({n})"
    if workload == "fib":
        for front_end, must, aim in FORK_PRICE:
            ratio = results.ratio((f"nopal-{front_end}", 1), (SERIAL, 1))
            add(f"{name}, nopal-{front_end}, T_1/T_s", _median(ratio), must, aim, True)
    if workload in ("fib", "nqueens", "integrate"):
        for front_end in FRONT_ENDS:
            add(f"{name}, {front_end}, T_1/T_2",
                _median(results.ratio((front_end, 1), (front_end, 2))), 1.90, 1.98,
                False)

    peers = []
    if workload in ("fib", "skynet"):
        peers += [("chili", ["chili"], 1.0, 1.2), ("rayon", ["rayon"], 2.5, None)]
    if workload in ("skynet", "nqueens", "uts_geometric", "uts_binomial", "matmul", "cilksort"):
        peers += [("Lace", ["lace-spawn"], 1.0, 1.2)]
    if workload == "fib":
        peers += [("Lace", ["lace-spawn"], 0.75, 1.0)]
        # Of several ways to use a library the fastest counts.
        peers += [("oneTBB", ["tbb-invoke", "tbb-group"], 15, 30),
                  ("libgomp", ["openmp-gnu"], 15, 30),
                  ("libomp", ["openmp-llvm"], 15, 30),
                  ("libfork", ["libfork-lazy", "libfork-busy", "libfork-llvm-lazy",
                               "libfork-llvm-busy"], 4, 6)]
    for peer, labels, must, aim in peers:
        for workers in (1, 2):
            ratios = [_median(results.ratio((label, workers), ("nopal-invoke", workers)))
                      for label in labels]
            ratios = [r for r in ratios if r is not None]
            add(f"{name}, {peer} over nopal-invoke, P = {workers}", min(ratios, default=None), must,
                aim, False)

    if workload == "loop":
        for front_end in ("nopal-frame", "nopal-task"):
            for workers in (1, 2):
                long, short = (results.peak_rss(label, workers)
                               for label in (front_end, f"{front_end}@n/100"))
                if long and short:
                    add(f"{name}, {front_end}, peak RSS over that of a loop of 1/100, MB, P = "
                        f"{workers}",
                        (long - short) / 1e6, 1.0, 0.1, True)
    return found


def space_targets(results):
    """The worst P of each program: S_P/P over S_1 + D."""
    found = []
    for s in space(results):
        worst = max(s.most, key=s.each)
        found.append(Target(f"{s.label}, S_P/P over S_1 + D, P = {worst}", s.each(worst) / s.bound,
                            1.0, None, True))
    return found


def _best(results, labels, workers):
    """The label with the least median time; None where none was measured."""
    times = {label: results.seconds(label, workers) for label in labels}
    return min((label for label in labels if times[label] is not None),
               key=lambda label: times[label].median, default=None)


def _own(results):
    return sorted({label
                   for label, _ in results.keys() if label.startswith("nopal")
                   and "@" not in label})


def _peers(results):
    return sorted({label
                   for label, _ in results.keys()
                   if not label.startswith((SERIAL, "elision", "nopal"))})


def memory_against_peers(workload, name, results):
    """What the workers of nopal's smaller variant take, over the smallest peer's."""
    def smallest(labels):
        sizes = {label: results.rss_of_workers(label, 2) for label in labels}
        return min(((size, label) for label, size in sizes.items() if size), default=None)

    own, peer = smallest(_own(results)), smallest(_peers(results))
    if workload not in MEMORY or own is None or peer is None:
        return []
    return [Target(f"{name}, RSS of the workers, {own[1]} over {peer[1]}, P = 2", own[0] / peer[0],
                   1.0, 0.5, True)]


def against_peers(name, results):
    """Speedup of nopal's best variant, and its time over that of the peer that comes nearest or
    wins.

    A peer is compared with nopal by the same compiler, where there is such; ratios are formed
    within rounds.
    """
    found = []
    own = _own(results)
    if name not in NO_PARALLELISM:
        front_end = _best(results, own, 2)
        speedup = front_end and _median(results.ratio((front_end, 1), (front_end, 2)))
        if speedup:
            found.append(Target(f"{name}, {front_end}, T_1/T_2", speedup, 1.85, 1.97, False))
    for workers in (1, 2):
        ratios = []
        for peer in _peers(results):
            best = _best(results, results.by_same_compiler(peer, own), workers)
            ratio = best and _median(results.ratio((best, workers), (peer, workers)))
            if ratio:
                ratios.append((ratio, f"{name}, {best} over {peer}, P = {workers}"))
        if ratios:
            ratio, what = max(ratios)
            found.append(Target(what, ratio, 1.03, 1.0, True))
    return found


def overhead_of_classics(sections):
    """Geometric mean of T_1/T_s, nopal's best variant in each. `sections`: pairs of a workload's
    name and its results."""
    least = []
    for name, results in sections:
        if name in CLASSIC:
            baselines = [label
                         for label, _ in results.keys() if label in (SERIAL, f"{SERIAL}-llvm")]
            ratios = [_median(results.ratio((label, 1), (serial, 1)))
                      for label in _own(results)
                      for serial in results.by_same_compiler(label, baselines)]
            least += [min(r for r in ratios if r)] if any(ratios) else []
    if not least:
        return []
    return [Target(f"T_1/T_s of nopal's best variants, geometric mean of {len(least)} classic "
                   "workloads",
                   geometric_mean(least), 1.05, 1.01, True)]


def micro_targets(name, results):
    found = []
    for r in results.good[:1]:
        if name == "fork_price":
            for front_end, must, aim in FORK_PRICE:
                found.append(Target(f"fib({r['n']}), nopal-{front_end} over serial, in turns, "
                                    "median",
                                    r[f"{front_end}_by_serial"]["median"], must, aim, True))
        elif name == "idle_cpu":
            found.append(Target("idle runtime, % of one CPU", r["cpu_percent"], 0.5, 0.05, True))
        elif name == "wakeup_latency" and r["nanoseconds"]:
            found.append(Target("wake-up, median, µs", r["nanoseconds"]["median"] / 1e3, None, 30,
                                True))
        elif name == "steal_latency":
            for front_end in ("invoke", "frame"):
                q = r[front_end]["nanoseconds"]
                if q:
                    found.append(Target(f"steal, {front_end}, median, µs", q["median"] / 1e3, None,
                                        1, True))
        elif name == "signal_latency":
            found.append(Target("signal_and_end, median, ns", r["signal_and_end"]["median"], None,
                                100, True))
    return found


HEADER = ["target", "measured", "must", "aim", "verdict"]


def row(target):
    sign = "≤" if target.at_most else "≥"

    def bound(value):
        return "–" if value is None else f"{sign} {value:g}"

    return [target.what, number(target.measured), bound(target.must), bound(target.aim),
            target.verdict]
