#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the pool between producers and consumers beside other queues, prints tables, and writes
all figures as JSON.

Needs a build with -DNOPAL_BUILD_BENCH=ON. One process for each measurement; all variants of a
figure take turns.
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
from runner.pool.figures import (  # noqa: E402
    FIGURES, MOST_THREADS, NOTE, OF_SECTION, ONE_NODE_NOTE, targets_of)
from runner.pool.plan import plan  # noqa: E402
from runner.pool.program import find_pool  # noqa: E402
from runner.programs import NotBuilt  # noqa: E402
from runner.ratios import Results  # noqa: E402

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
        print(f"  {f.name}: {f.title} ({f.origin})")
    print("variants:")
    for variant, chunk in program.chunks.items():
        print(f"  {variant}" + (f" (chunks of {chunk})" if chunk else ""))
    for variant, why in program.absent.items():
        print(f"left out: {variant}: {why}")


def report(measured, described, seconds, absent, render):
    """The whole table; `render` is as_text or as_markdown."""
    markdown = render is tables.as_markdown
    found, parts = [], []

    def part(title, header, rows):
        if rows:
            parts.append(f"{'## ' if markdown else ''}{title}\n\n{render(header, rows)}")

    for section, records in measured:
        results, figure = Results(records), OF_SECTION[section.name]
        table = figure.table(Kept(section.name, None, [], [], figure.cases(results)),
                             described["cpus"])
        part(f"{figure.name}: {figure.title} ({figure.origin})", table.header, table.rows)
        found += targets_of(section.name, results)
    everything = [r for _, records in measured for r in records]
    if any(r.get("oversubscribed") for r in everything):
        parts.append(f"{NOTE}\n".replace("*", "\\*" if markdown else "*"))
    # Only those know of nodes that were asked to keep their memory on one.
    if any(r.get("memory_nodes") == 1 for r in everything):
        parts.append(f"{ONE_NODE_NOTE}\n")
    smoke = seconds < SAYS_NOTHING_BELOW
    part("targets" + (f", but {seconds:g} s say nothing of speed" if smoke else ""), targets.HEADER,
         [targets.row(t) for t in found])
    head = ("# Measurements of the pool\n\n" if markdown
            else "") + machine.summary(described) + "\n"
    missing = "".join(f"{'- ' if markdown else ''}left out: {v}: {why}\n"
                      for v, why in absent.items())
    return "\n".join([head, *parts, missing]), found


def main(arguments=None):
    a = parse(arguments)
    try:
        program = find_pool(a.build)
    except NotBuilt as error:
        refuse(str(error))
    if a.list:
        print_list(program)
        return 0
    sections = plan(a, program)
    a.out.mkdir(parents=True, exist_ok=True)  # now, and not after an hour of measuring

    described = machine.describe()
    started = time.strftime("%Y-%m-%dT%H:%M:%S%z")
    try:
        with contextlib.nullcontext() if a.seconds < SAYS_NOTHING_BELOW else alone():
            measured = whole_run.measure_all(sections,
                                             whole_run.journal_of(a.restart, a.out, sections),
                                             a.rounds, a.timeout,
                                             a.budget)
    except NotAlone as error:
        print(error, file=sys.stderr)
        return 1

    text, found = report(measured, described, a.seconds, program.absent, tables.as_text)
    markdown, _ = report(measured, described, a.seconds, program.absent, tables.as_markdown)
    absent = {f"pool: {variant}": why for variant, why in program.absent.items()}
    whole_run.write(a.out, started, f"{a.seconds:g} s", described, absent, measured, found, text,
                    markdown)
    return whole_run.exit_status(measured, sections, found, a.check_targets)


if __name__ == "__main__":
    sys.exit(main())
