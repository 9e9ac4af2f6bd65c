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
import contextlib
import sys
import time

sys.dont_write_bytecode = True  # the source tree stays as it is

from runner import machine, tables, targets, whole_run  # noqa: E402
from runner.alone import NotAlone, alone  # noqa: E402
from runner.command_line import add_run_options, parsed, refuse  # noqa: E402
from runner.committed.results import Section as Kept  # noqa: E402
from runner.programs import NotBuilt, find_programs  # noqa: E402
from runner.ratios import Results  # noqa: E402
from runner.stacks.figures import FIGURES, OF_SECTION  # noqa: E402
from runner.stacks.plan import plan  # noqa: E402
from runner.stacks.reclaim import ADAPTIVE, POLICIES  # noqa: E402
from runner.stacks.strategies import STRATEGIES  # noqa: E402

OF_POLICY = ("pages", "memory")
ROUNDS = {"smoke": 1, "quick": 5, "paper": 3}
FAMILIES = ("nopal", "serial", *(family for f in FIGURES.values() for family in f.needs.values()))


def parse(arguments):
    p = argparse.ArgumentParser(prog="run_stacks.py", description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--figure", metavar="NAMES",
                   help="only these, comma-separated: "
                        + "; ".join(f"{f.name}: {f.what} ({f.published})"
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


def report(measured, described, a, absent, render):
    """The whole table, the targets, and what is refused; `render` is as_text or as_markdown."""
    markdown = render is tables.as_markdown
    heading = "## " if markdown else ""
    head = ("# Measurements of stacks\n\n" if markdown else "") + machine.summary(described)
    found, refused, parts = [], [], [f"{head}\n"]
    for section, records in measured:
        results = Results(records)
        figure = OF_SECTION[section.name]
        if cases := figure.cases(results):
            policy = f", reclaim {a.reclaim}" if figure.name in OF_POLICY else ""
            table = figure.table(Kept(section.name, None, [], [], cases))
            parts.append(f"{heading}{figure.name}: {figure.what} ({figure.published}){policy}\n\n"
                         f"{render(table.header, table.rows)}")
        found += figure.targets(a.size, cases)
        refused += [f"{figure.name}, {line}" for line in figure.refusals(results)]
    if found:
        smoke = ""
        if a.size == "smoke":
            smoke = ", but at the size 'smoke', which says nothing of speed"
        rows = [targets.row(t) for t in found]
        parts.append(f"{heading}targets{smoke}\n\n{render(targets.HEADER, rows)}")
    mark = "- " if markdown else ""
    parts += [f"{mark}refused: {line}\n" for line in refused]
    parts += [f"{mark}left out: {what}: {why}\n" for what, why in absent.items()]
    return "\n".join(parts), found, refused


def main(arguments=None):
    a = parse(arguments)
    try:
        programs = find_programs(a.build)
    except NotBuilt as error:
        refuse(str(error))
    sections, left_out = plan(a, programs)
    a.out.mkdir(parents=True, exist_ok=True)
    described = machine.describe()
    started = time.strftime("%Y-%m-%dT%H:%M:%S%z")
    try:
        with contextlib.nullcontext() if a.size == "smoke" else alone():
            measured = whole_run.measure_all(sections,
                                             whole_run.journal_of(a.restart, a.out, sections),
                                             a.rounds, a.timeout, a.budget)
    except NotAlone as error:
        print(error, file=sys.stderr)
        return 1
    absent = left_out | {family: why for family, why in programs.absent.items()
                         if family in FAMILIES}
    text, found, refused = report(measured, described, a, absent, tables.as_text)
    markdown, _, _ = report(measured, described, a, absent, tables.as_markdown)
    whole_run.write(a.out, started, a.size, described, absent, measured, found, text, markdown)
    status = whole_run.exit_status(measured, sections, found, a.check_targets)
    # A smoke run may be over before each worker has found something to steal.
    return 1 if refused and a.size != "smoke" else status


if __name__ == "__main__":
    sys.exit(main())
