#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures nopal and its peers, prints a table, and writes all figures as JSON.

Needs a build with -DNOPAL_BUILD_BENCH=ON. One process for each measurement; all variants of a
workload take turns.
"""

import argparse
import sys

sys.dont_write_bytecode = True  # the source tree stays as it is

from runner import micro, whole_run, workloads  # noqa: E402
from runner.command_line import (  # noqa: E402
    add_run_options, chosen, numbers, parsed, refuse)
from runner.measure import Job, Section  # noqa: E402
from runner.programs import NotBuilt, find_programs  # noqa: E402
from runner.stacks.figure import program_of  # noqa: E402
from runner.stacks.pages import PAGES  # noqa: E402

SIZES = ("smoke", "quick", "paper")
ROUNDS = {"smoke": 1, "quick": 5, "paper": 3}


def parse(arguments):
    p = argparse.ArgumentParser(description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--workload", metavar="NAMES", help="only these, comma-separated; see --list")
    p.add_argument("--variant", metavar="NAMES", help="only these, comma-separated; see --list")
    p.add_argument("--workers", default="1,2", help="numbers of workers (%(default)s)")
    p.add_argument("--size", default="quick",
                   help="smoke: is it right; quick: a second or two for the serial program; paper: "
                        "the inputs of the papers; "
                        "or a size that only some workloads have, see --list (%(default)s)")
    p.add_argument("--n", metavar="NUMBERS",
                   help="problem sizes instead of --size, comma-separated, for one --workload")
    p.add_argument("--rounds", type=int,
                   help="how often all variants take their turn, at most (smoke 1, quick 5, paper "
                        "3)")
    p.add_argument("--repetitions", type=int, default=1,
                   help="timed repetitions in each process (%(default)s)")
    p.add_argument("--spread", metavar="FRACTION", type=float, default=0.02,
                   help="no further round, after three, where the middle half of all times lies "
                        "this close (%(default)s)")
    add_run_options(p, "results", 900)
    p.add_argument("--list", action="store_true",
                   help="list workloads, variants and sizes, and exit")
    return parsed(p, arguments, "rounds", "repetitions", "spread")


def print_list(programs):
    print("workloads:")
    for workload in programs.workloads:
        of_this = [v for v in programs.variants if v.workload == workload]
        sizes = ", ".join(f"{name} {n}" for name, n in of_this[0].sizes.items())
        print(f"  {workload} (sizes: {sizes})\n    {' '.join(v.name for v in of_this)}")
    print("  space (pages of stacks in every workload, with 1 to 16 workers)\n  "
          f"{' '.join(micros_of(programs))}")
    for family, reason in programs.absent.items():
        print(f"left out: {family}: {reason}")


def workload_section(workload, n, variants, workers, repetitions):
    jobs = [Job(v.name, p, v.command(p, n, repetitions))
            for p in workers for v in variants if v.parallel or p == 1]
    if workload == "loop":  # the same, shorter: memory must not grow with the length
        jobs += [Job(f"{v.name}@n/100", p, v.command(p, max(1, n // 100), repetitions))
                 for p in workers
                 for v in variants if v.name in ("nopal-frame", "nopal-task")
                 and (v.parallel or p == 1)]
    return Section(workload, n, jobs)


def space_section(programs, size, repetitions):
    """Pages of stacks: S_1 of one worker that keeps what it touched, S_P under the default
    policy."""
    jobs = []
    for v in programs.of("space"):
        for p in (1, 2, 4, 8, 16):
            jobs.append(Job(f"{program_of(v)}@default", p,
                            v.command(p, v.sizes[size], repetitions),
                            {"NOPAL_RECLAIM": "none" if p == 1 else "adaptive"}))
    return Section("space", None, jobs)


# The option that says how much, and how much, by size. `stack_cache` is for ./run bench stacks.
MICROS = {"fork_price": ("--rounds", {"smoke": 10, "quick": 1000, "paper": 5000}),
          "call_price": ("--rounds", {"smoke": 5, "quick": 200, "paper": 1000}),
          "reducer_price": ("--rounds", {"smoke": 10, "quick": 200, "paper": 1000}),
          "steal_latency": ("--rounds", {"smoke": 100, "quick": 5000, "paper": 20000}),
          "signal_latency": ("--rounds", {"smoke": 100, "quick": 20000, "paper": 100000}),
          "wakeup_latency": ("--rounds", {"smoke": 10, "quick": 300, "paper": 1000}),
          "idle_cpu": ("--seconds", {"smoke": 0.5, "quick": 5, "paper": 5})}


def micros_of(programs):
    return [name for name in programs.micros if name in MICROS]


def micro_section(name, program, size):
    option, amounts = MICROS[name]
    workers = 1 if name in ("fork_price", "reducer_price", "signal_latency") else 2
    return Section(name, None, [Job(name, workers, [str(program), option, str(amounts[size])])])


def sections_of(name, a, programs, variant_names, workers):
    """What is measured of one workload; nothing where it has not got the size or the variants asked
    for."""
    sized = name in programs.workloads
    variants = [v for v in programs.variants if v.workload == name and v.name in variant_names]
    if sized and not variants:
        return []
    sizes = variants[0].sizes if sized else SIZES
    if a.n is None and a.size not in sizes:
        if a.workload:
            refuse(f"{name} has no size '{a.size}'; it has: {' '.join(sizes)}")
        return []
    if sized:
        return [workload_section(name, n, variants, workers, a.repetitions)
                for n in a.n or [sizes[a.size]]]
    if a.variant is not None and a.workload is None:
        return []  # variants were asked for, and this has none
    if name == "space":
        return [space_section(programs, a.size, a.repetitions)]
    return [micro_section(name, programs.micros[name], a.size)]


def plan(a, programs):
    """The sections to measure, by the command line."""
    names = chosen(a.workload, [*programs.workloads, "space", *micros_of(programs)], "workload")
    variant_names = chosen(a.variant, programs.variant_names, "variant")
    workers = numbers(a.workers, "--workers")
    a.n = a.n and numbers(a.n, "--n")
    sizes = dict.fromkeys([*SIZES, *(name for v in programs.variants for name in v.sizes)])
    if a.size not in sizes:
        refuse(f"no size '{a.size}'; there are: {' '.join(sizes)}")
    if a.n is not None and (len(names) != 1 or names[0] not in programs.workloads):
        refuse("--n needs exactly one --workload that has a size")
    sections = [section for name in names
                for section in sections_of(name, a, programs, variant_names, workers)]
    sections = [section for section in sections if section.jobs]
    if not sections:
        refuse("nothing to measure: no chosen workload has a chosen variant and size")
    return sections


def fill(report, measured):
    """All tables."""
    micros = []
    for section, _ in measured:
        if section.name == "space":
            report.add("space: pages of stacks for each worker", PAGES.table(section))
        elif section.n is None:
            micros += section.cases
        else:
            report.add(section.title, workloads.table(section))
    report.add("micro-measurements", micro.table(micros))


def main(arguments=None):
    a = parse(arguments)
    try:
        programs = find_programs(a.build)
    except NotBuilt as error:
        refuse(str(error))
    if a.list:
        print_list(programs)
        return 0
    return whole_run.run(
        a, plan(a, programs), fill,
        title="Measurements", size=a.size, absent=programs.absent, is_smoke=a.size == "smoke",
        rounds=a.rounds or ROUNDS.get(a.size, ROUNDS["quick"]), spread=a.spread)


if __name__ == "__main__":
    sys.exit(main())
