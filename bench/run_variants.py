#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the deques and joins that a build can choose: fib's overhead and speedup, and what a
steal costs.

Configures and builds each combination of NOPAL_DEQUE and NOPAL_JOIN in
build/variants/<deque>-<join>, then measures all of them in turn.
"""

import argparse
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # the source tree stays as it is

from runner import machine, tables  # noqa: E402
from runner.command_line import chosen, numbers, refuse  # noqa: E402
from runner.journal import Journal, Progress  # noqa: E402
from runner.measure import Effort, Job, Section, measure_section  # noqa: E402
from runner.programs import NotBuilt, find_programs  # noqa: E402
from runner.ratios import Results, Spread  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
DEQUES = ("asymmetric", "fenced", "split", "abp", "the")
JOINS = ("waitfree", "locked")
FRONT_ENDS = ("invoke", "frame", "task")
SERIAL = ("serial", 1)


def parse(arguments):
    p = argparse.ArgumentParser(description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--deque", metavar="NAMES", help=f"only these of: {' '.join(DEQUES)}")
    p.add_argument("--join", metavar="NAMES", help=f"only these of: {' '.join(JOINS)}")
    p.add_argument("--n", type=int, default=40, help="of fib (%(default)s)")
    p.add_argument("--workers", default="1,2", help="numbers of workers (%(default)s)")
    p.add_argument("--rounds", type=int, default=5,
                   help="how often all take their turn (%(default)s)")
    p.add_argument("--steals", type=int, default=5000,
                   help="of each round, for the cost of a steal (%(default)s)")
    p.add_argument("--compiler", default="g++-12", help="(%(default)s)")
    p.add_argument("--builds", metavar="DIR", type=Path, default=ROOT / "build" / "variants",
                   help="(%(default)s)")
    p.add_argument("--no-build", action="store_true", help="measure what is already there")
    p.add_argument("--timeout", metavar="SECONDS", type=float, default=300,
                   help="for one process (%(default)s)")
    p.add_argument("--out", metavar="DIR", type=Path,
                   help="for variants.md (BUILDS/results)")
    a = p.parse_args(arguments)
    for name in ("n", "rounds", "steals"):
        if getattr(a, name) < 1:
            refuse(f"--{name} must be at least 1, not {getattr(a, name)}")
    return a


def build(folder, deque, join, compiler, targets):
    """Configures and builds one combination. Returns what went wrong, or None."""
    log = folder / "build.log"
    folder.mkdir(parents=True, exist_ok=True)
    commands = [
        ["cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
         f"-DCMAKE_CXX_COMPILER={compiler}", "-DCMAKE_CXX_FLAGS=-march=native",
         f"-DNOPAL_DEQUE={deque}",
         f"-DNOPAL_JOIN={join}", "-DNOPAL_BUILD_BENCH=ON", "-DNOPAL_BENCH_RUST=OFF",
         "-DNOPAL_BUILD_TESTS=OFF",
         "-DNOPAL_BUILD_EXAMPLES=OFF", "-DNOPAL_BUILD_APPS=OFF"],
        ["cmake", "--build", folder, "--target", *targets],
    ]
    with open(log, "w") as stream:
        for command in commands:
            if subprocess.run(command, stdout=stream, stderr=subprocess.STDOUT).returncode != 0:
                return f"'{' '.join(str(c) for c in command[:3])} …' failed, see {log}"
    return None


def jobs_of(name, programs, n, workers):
    return [Job(f"{name} {front_end}", p, v.command(p, n, 1))
            for p in workers for front_end in FRONT_ENDS for v in programs.variants
            if (v.workload, v.name) == ("fib", f"nopal-{front_end}")]


def table(names, fib, steal, workers):
    """One row for each combination and front end."""
    most = max(workers)
    header = ["deque", "join", "front end", "T_1, s", "T_1/T_s",
              "T_1/T_P" if most == 1 else f"T_1/T_{most}", "steal, ns (p10..p90)"]
    rows = []
    for deque, join in names:
        for front_end in FRONT_ENDS:
            label = f"{deque}-{join} {front_end}"
            records = steal.records(f"{deque}-{join}", 2)
            quantiles = [q for r in records if (q := r.get(front_end, {}).get("nanoseconds"))]
            cost = "–"
            if quantiles:
                low, mid, high = (tables.number(Spread.of(q[key] for q in quantiles).median)
                                  for key in ("p10", "median", "p90"))
                cost = f"{mid} ({low}..{high})"
            speedup = fib.ratio((label, 1), (label, most)) if most > 1 else None
            rows.append([deque, join, front_end, tables.spread(fib.seconds(label, 1)),
                         tables.spread(fib.ratio((label, 1), SERIAL)), tables.spread(speedup),
                         cost])
    return tables.Table(header, rows)


def main(arguments=None):
    a = parse(arguments)
    names = [(d, j) for d in chosen(a.deque, DEQUES, "deque")
             for j in chosen(a.join, JOINS, "join")]
    workers = numbers(a.workers, "--workers")
    out = a.out or a.builds / "results"
    out.mkdir(parents=True, exist_ok=True)
    progress = Progress()

    faults, fib_jobs, steal_jobs = {}, [], []
    for number, (deque, join) in enumerate(names):
        name = f"{deque}-{join}"
        progress.show(f"[{number + 1}/{len(names)}] building {name}")
        targets = ["nopal-bench-nopal", "nopal-bench-steal_latency"]
        targets += ["nopal-bench-serial"] if not fib_jobs else []
        fault = None if a.no_build else build(a.builds / name, deque, join, a.compiler, targets)
        try:
            programs = find_programs(a.builds / name) if fault is None else None
        except NotBuilt as error:
            fault = str(error)
        if fault is None and not jobs_of(name, programs, a.n, workers):
            fault = programs.absent.get("nopal", "has no fib")
        if fault is not None:
            progress.clear()
            print(f"{name} left out: {fault}", file=sys.stderr)
            faults[name] = fault
            continue
        if not fib_jobs:
            fib_jobs += [Job("serial", 1, v.command(1, a.n, 1)) for v in programs.variants
                         if (v.workload, v.name) == ("fib", "serial")]
        fib_jobs += jobs_of(name, programs, a.n, workers)
        if "steal_latency" in programs.micros:
            steal_jobs.append(Job(name, 2,
                                  [str(programs.micros["steal_latency"]), "--rounds",
                                   str(a.steals)]))
    progress.clear()
    if not fib_jobs:
        print("nothing has been built", file=sys.stderr)
        return 1

    effort, records = Effort(a.rounds, a.timeout), Journal()
    fib_records = measure_section(Section("fib", a.n, fib_jobs), effort, records, progress)
    steal_records = measure_section(Section("steal_latency", None, steal_jobs), effort, records,
                                    progress)

    found = table([n for n in names if "-".join(n) not in faults], Results(fib_records),
                         Results(steal_records),
                         workers)
    one = next((r for r in fib_records if r.get("peer", {}).get("name") == "nopal"), None)
    built = f"{one['build']['compiler']}, {one['build']['flags']}" if one else a.compiler
    head = (f"fib({a.n}), {a.rounds} rounds in turn, median (min..max); ratios formed within "
            "rounds. T_s: the serial "
            f"function, not inlined into itself.\n\n{machine.summary(machine.describe())}\n\n{built}\n")
    (out / "variants.md").write_text(
        f"# Deques and joins\n\n{head}\n{found}"
        + "".join(f"\nLeft out: {name}: {why}\n" for name, why in faults.items()))
    print(head)
    print(found.as_text())
    print(f"written to {out / 'variants.md'}")
    return 1 if faults or any("failure" in r for r in [*fib_records, *steal_records]) else 0


if __name__ == "__main__":
    sys.exit(main())
