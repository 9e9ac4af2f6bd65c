#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures cactus stacks in the figures of the papers on them: pages, memory and time with mapped
stacks beside the default ones, strategies, reclaim policies, child stealing, joins with locks.
Prints tables, and writes all figures as JSON.

Needs a build with -DNOPAL_BUILD_BENCH=ON; mapped stacks need more (docs/mapped.md). One process for
each measurement; all that a figure compares takes turns. A run in which fewer stacks than workers
were in use at a time shows nothing of pages, and is refused.
"""

import argparse
import sys

sys.dont_write_bytecode = True  # the source tree stays as it is

from runner import whole_run  # noqa: E402
from runner.command_line import (  # noqa: E402
    add_run_options, chosen, numbers, parsed, refuse)
from runner.measure import Section  # noqa: E402
from runner.programs import APART, NotBuilt, find_programs  # noqa: E402
from runner.stacks.figure import Asked, front_end  # noqa: E402
from runner.stacks.figures import FIGURES, OF_SECTION  # noqa: E402
from runner.stacks.reclaim import ADAPTIVE, POLICIES  # noqa: E402
from runner.stacks.strategies import STRATEGIES  # noqa: E402

OF_POLICY = ("pages", "memory")
ROUNDS = {"smoke": 1, "quick": 5, "paper": 3}
FAMILIES = ("nopal", "serial", *(family for f in FIGURES.values() for family in f.needs))


def parse(arguments):
    p = argparse.ArgumentParser(prog="run_stacks.py", description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--figure", metavar="NAMES",
                   help="only these, comma-separated: "
                        + "; ".join(f"{f.name}: {f.what} ({f.origin})"
                                    for f in FIGURES.values()))
    p.add_argument("--workload", metavar="NAMES", help="only these, comma-separated")
    p.add_argument("--variant", metavar="NAMES",
                   help="only these front ends, comma-separated: invoke, frame, for, task; not for "
                        "strategies")
    p.add_argument("--strategy", metavar="NAMES",
                   help=f"for strategies, only these: {', '.join(STRATEGIES)}")
    p.add_argument("--workers", metavar="NUMBERS",
                   help="of each figure; without it pages has 1,2,16, memory 16, time and reclaim "
                        "2, strategies and joins 2,8, stealing 1,2")
    p.add_argument("--reclaim", choices=POLICIES, default=ADAPTIVE,
                   help="for pages and memory: which pages go back, with several workers "
                        "(%(default)s)")
    p.add_argument("--size", choices=tuple(ROUNDS), default="quick",
                   help="smoke: is it right; quick: a second or two for the serial program; paper: "
                        "the inputs of the papers (%(default)s)")
    p.add_argument("--rounds", metavar="N", type=int,
                   help="how often all variants take their turn (smoke 1, quick 5, paper 3)")
    add_run_options(p, "results/stacks", 900)
    a = parsed(p, arguments, "rounds")
    a.rounds = a.rounds or ROUNDS[a.size]
    return a


def plan(a, programs):
    """The sections to measure, and which figures are left out: name -> why."""
    asked = Asked(a.size, a.reclaim, a.workers and numbers(a.workers, "--workers"),
                  *(text and chosen(text, valid, kind) for text, valid, kind in (
                      (a.workload, _names(programs, lambda v: v.workload), "workload"),
                      (a.variant, _names(programs, front_end), "variant"),
                      (a.strategy, list(STRATEGIES), "strategy"))))
    sections, left_out = [], {}
    for name in chosen(a.figure, FIGURES, "figure"):
        figure = FIGURES[name]
        lacks = figure.lacks(programs)
        if lacks and a.figure:
            refuse(lacks)
        if lacks:
            left_out[f"figure {name}"] = lacks
            continue
        section = Section(figure.section, None, figure.jobs(asked, programs))
        sections += [section] if section.jobs else []
    if not sections:
        reasons = "".join(f"; {what}: {why}" for what, why in left_out.items())
        refuse(f"nothing to measure: no figure has a chosen workload and variant{reasons}")
    return sections, left_out


def _names(programs, of):
    """Of all programs that are nopal's."""
    ours = [v for v in programs.variants if v.family == "nopal"]
    return list(dict.fromkeys(of(v) for v in [
        *ours, *programs.of(*APART)]))


def fill(report, measured, a, refused):
    """All tables, and what is refused."""
    for section, results in measured:
        figure = OF_SECTION[section.name]
        if section.cases:
            policy = f", reclaim {a.reclaim}" if figure.name in OF_POLICY else ""
            report.add(f"{figure.name}: {figure.what} ({figure.origin}){policy}",
                       figure.table(section))
        refused += [f"{figure.name}, {line}" for line in figure.refusals(results)]
    report.lines += [f"refused: {line}" for line in refused]


def main(arguments=None):
    a = parse(arguments)
    try:
        programs = find_programs(a.build)
    except NotBuilt as error:
        refuse(str(error))
    sections, left_out = plan(a, programs)
    absent = left_out | {family: why for family, why in programs.absent.items()
                         if family in FAMILIES}
    refused = []
    status = whole_run.run(
        a, sections, lambda report, measured: fill(report, measured, a, refused),
        title="Measurements of stacks", size=a.size, absent=absent, is_smoke=a.size == "smoke",
        rounds=a.rounds)
    # A smoke run may be over before each worker has found something to steal.
    return 1 if refused and a.size != "smoke" else status


if __name__ == "__main__":
    sys.exit(main())
