#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the pool between producers and consumers beside other queues, prints tables, and writes
all figures as JSON.

Needs a build with -DNOPAL_BUILD_BENCH=ON. One process for each measurement; all variants of a
figure take turns.
"""

import argparse
import sys

sys.dont_write_bytecode = True  # the source tree stays as it is

from runner import whole_run  # noqa: E402
from runner.command_line import add_run_options, chosen, parsed, refuse  # noqa: E402
from runner.measure import Job, Section  # noqa: E402
from runner.pool.figures import (  # noqa: E402
    FIGURES, MOST_THREADS, OF_SECTION, ONE_NODE_NOTE, variants_of)
from runner.pool.load import find_pool  # noqa: E402
from runner.programs import NotBuilt  # noqa: E402

SAYS_NOTHING_BELOW = 0.1  # seconds: a smoke test, during which others may measure


def parse(arguments):
    p = argparse.ArgumentParser(prog="run_pool.py", description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--figure", metavar="NAMES",
                   help=f"only these, comma-separated: {', '.join(FIGURES)}")
    p.add_argument("--variant", metavar="NAMES", help="only these, comma-separated; see --list")
    p.add_argument("--threads", metavar="N", type=int, default=MOST_THREADS,
                   help="the most producers, and the most consumers; ratios have so many threads "
                        "in all (%(default)s)")
    p.add_argument("--seconds", type=float, default=2, help="for each repetition (%(default)s)")
    p.add_argument("--rounds", type=int, default=5,
                   help="how often all variants take their turn (%(default)s)")
    p.add_argument("--repetitions", type=int, default=1,
                   help="in each process, each with a new pool (%(default)s)")
    add_run_options(p, "results/pool", 300)
    p.add_argument("--list", action="store_true", help="list figures and variants, and exit")
    return parsed(p, arguments, "seconds", "rounds", "repetitions")


def print_list(program):
    print("figures:")
    for f in FIGURES.values():
        print(f"  {f.name}: {f.what} ({f.origin})")
    print("variants:")
    for variant, chunk in program.chunks.items():
        print(f"  {variant}" + (f" (chunks of {chunk})" if chunk else ""))
    for variant, why in program.absent.items():
        print(f"left out: {variant}: {why}")


def plan(a, program):
    """The sections to measure."""
    if not 1 <= a.threads <= MOST_THREADS:
        refuse(f"--threads must be 1 to {MOST_THREADS}, not {a.threads}")
    figures = [FIGURES[name] for name in chosen(a.figure, list(FIGURES), "figure")]
    _say_why_absent(a.variant, program)
    wanted = a.variant and chosen(a.variant, program.variants, "variant")
    sections = [section
                for figure in figures if (section := _section(figure, wanted, a, program)).jobs]
    if not sections:
        refuse(f"nothing to measure: {', '.join(f.name for f in figures)} has none of the variants "
               f"{' '.join(wanted or ())}")
    return sections


def _say_why_absent(text, program):
    for name in (text or "").split(","):
        if (why := program.absent.get(name.strip())) is not None:
            refuse(f"variant '{name.strip()}' is not there: {why}")


def _section(figure, wanted, a, program):
    jobs = [Job(load.label, load.threads, load.command(program, a.seconds, a.repetitions))
            for load in figure.loads(variants_of(figure, wanted, program), a.threads)]
    return Section(figure.section, None, jobs)


def fill(report, measured):
    """All tables."""
    for section, _ in measured:
        figure = OF_SECTION[section.name]
        report.add(f"{figure.name}: {figure.what} ({figure.origin})", figure.table(section))
    # Only those know of nodes that were asked to keep their memory on one.
    if any(r.get("memory_nodes") == 1 for _, results in measured for r in results.good):
        report.lines.append(ONE_NODE_NOTE)


def main(arguments=None):
    a = parse(arguments)
    try:
        program = find_pool(a.build)
    except NotBuilt as error:
        refuse(str(error))
    if a.list:
        print_list(program)
        return 0
    return whole_run.run(
        a, plan(a, program), fill, title="Measurements of the pool", size=f"{a.seconds:g} s",
        absent={f"pool: {variant}": why for variant, why in program.absent.items()},
        is_smoke=a.seconds < SAYS_NOTHING_BELOW, rounds=a.rounds)


if __name__ == "__main__":
    sys.exit(main())
