#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares ways to keep a cactus stack (docs/stacks.md): time, and the most pages of stacks.

The default is a new stack for whatever is stolen, whose stale pages are given back where the space
bound needs it. Frames that wait steal children and not continuations; so new_stack is child
stealing that takes new stacks, beside which they stand.
"""

import argparse
import json
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # the source tree stays as it is

from runner import machine, tables  # noqa: E402
from runner.command_line import chosen, numbers, refuse  # noqa: E402
from runner.journal import Records  # noqa: E402
from runner.measure import Effort, Job, Section, measure_section  # noqa: E402
from runner.programs import NotBuilt, default_build, find_programs  # noqa: E402
from runner.progress import Progress  # noqa: E402
from runner.ratios import Results  # noqa: E402

STACKS_OF_A_POOL = 2  # for each worker
# Name -> the front end's variant, and what the environment sets.
STRATEGIES = {
    "default": ("invoke", {}),
    "dontneed": ("invoke", {"NOPAL_RECLAIM": "dontneed"}),
    "none": ("invoke", {"NOPAL_RECLAIM": "none"}),
    "pool": ("invoke", {"NOPAL_BENCH_STACKS": str(STACKS_OF_A_POOL)}),
    **{rule: ("frame", {"NOPAL_BENCH_RULE": rule})
       for rule in ("new_stack", "unrestricted", "deeper", "limited", "leapfrog", "recycle")},
}


def parse(arguments):
    p = argparse.ArgumentParser(description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--workload", metavar="NAMES", help="only these")
    p.add_argument("--strategy", metavar="NAMES", help=f"only these of: {' '.join(STRATEGIES)}")
    p.add_argument("--size", choices=("smoke", "quick", "paper"), default="quick",
                   help="(%(default)s)")
    p.add_argument("--n", type=int, help="in the place of that size's")
    p.add_argument("--workers", default="2,8", help="numbers of workers (%(default)s)")
    p.add_argument("--rounds", type=int, default=5,
                   help="how often all take their turn (%(default)s)")
    p.add_argument("--build", metavar="DIR", type=Path, default=default_build(),
                   help="with the programs (%(default)s)")
    p.add_argument("--timeout", metavar="SECONDS", type=float, default=300,
                   help="for one process (%(default)s)")
    p.add_argument("--out", metavar="FILE", type=Path, help="for the records, as JSON")
    a = p.parse_args(arguments)
    if a.rounds < 1:
        refuse(f"--rounds must be at least 1, not {a.rounds}")
    if a.n is not None and a.n < 1:
        refuse(f"--n must be at least 1, not {a.n}")
    return a


def jobs_of(programs, family, workload, a, workers, strategies):
    found = []
    for p in workers:
        for strategy in strategies:
            front_end, environment = STRATEGIES[strategy]
            found += [Job(strategy, p, v.command(p, a.n or v.sizes[a.size], 1), environment)
                      for v in programs.stacks
                      if (v.family, v.workload, v.name) == (family, workload,
                                                            f"{family}-{front_end}")]
    return found


def table(workers, strategies, time, pages):
    """One row for each strategy."""
    header = ["strategy"]
    for p in workers:
        header += [f"T_{p} over default", f"pages, P = {p}", "stacks"]
    rows = []
    for strategy in strategies:
        row = [strategy]
        for p in workers:
            counted = [r["runtime"] for r in pages.records(strategy, p)]
            row += [tables.spread(time.ratio((strategy, p), ("default", p))),
                    max((r["stack_pages"] for r in counted), default="–"),
                    max((r["peak_stacks_in_use"] for r in counted), default="–")]
        rows.append(row)
    return header, rows


def main(arguments=None):
    a = parse(arguments)
    try:
        programs = find_programs(a.build, "stacks")
    except NotBuilt as error:
        refuse(str(error))
    strategies = chosen(a.strategy, list(STRATEGIES), "strategy")
    if "default" not in strategies:
        strategies = ["default", *strategies]
    workloads = chosen(a.workload, list(dict.fromkeys(v.workload for v in programs.stacks)),
                       "workload")
    workers = numbers(a.workers, "--workers")
    effort, progress, written, failed = Effort(a.rounds, a.timeout), Progress(), [], False
    print(machine.summary(machine.describe()))
    for workload in workloads:
        measured = {}
        for family in ("stacks", "stacks-pages"):
            jobs = jobs_of(programs, family, workload, a, workers, strategies)
            section = Section(f"{workload} {family}", None, jobs)
            records = measure_section(section, effort, Records(), progress)
            measured[family] = Results(records)
            written += records
            for r in records:
                if "failure" in r:
                    failed = True
                    print(f"{workload} {r['label']}, P = {r['workers']}: {r['failure']}",
                          file=sys.stderr)
        print(f"\n{workload}, {a.n or a.size}, {a.rounds} rounds in turn, median (min..max)\n")
        print(tables.as_text(*table(workers, strategies, measured["stacks"],
                                    measured["stacks-pages"])))
    if a.out:
        a.out.write_text(json.dumps(written, indent=1) + "\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
