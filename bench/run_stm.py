#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures transactions: nopal's, with each place for their locks, beside libitm, crates of Rust, a
mutex and the serial program. Prints tables, and writes all figures as JSON.

Needs a build with -DNOPAL_BUILD_BENCH=ON. One process for each measurement; all variants of a
workload take turns.
"""

import argparse
import contextlib
import sys
import time

sys.dont_write_bytecode = True  # the source tree stays as it is

from runner import machine, tables, targets, whole_run  # noqa: E402
from runner.alone import NotAlone, alone  # noqa: E402
from runner.command_line import add_run_options, parsed, refuse  # noqa: E402
from runner.programs import NotBuilt  # noqa: E402
from runner.ratios import Results  # noqa: E402
from runner.stm.plan import SECTIONS, plan  # noqa: E402
from runner.stm.program import ORDER, find_stm  # noqa: E402
from runner.stm.tables import NOTE, table  # noqa: E402
from runner.stm.targets import targets_of  # noqa: E402


def parse(arguments):
    p = argparse.ArgumentParser(prog="run_stm.py", description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--workload", metavar="NAMES",
                   help=f"only these, comma-separated: {', '.join(SECTIONS)}")
    p.add_argument("--variant", metavar="NAMES", help="only these, comma-separated")
    p.add_argument("--threads", metavar="NUMBERS", default="1,2,4,8", help="(%(default)s)")
    p.add_argument("--rounds", metavar="N", type=int, default=5,
                   help="how often all variants take their turn (%(default)s)")
    p.add_argument("--share", metavar="N", type=int, default=1,
                   help="divide the amount of work by this (%(default)s)")
    add_run_options(p, "results/stm", 600)
    return parsed(p, arguments, "rounds", "share")


def report(measured, described, absent, render):
    """The whole table; `render` is as_text or as_markdown."""
    markdown = render is tables.as_markdown
    heading = "## " if markdown else ""
    head = ("# Measurements of transactions\n\n" if markdown else "") + machine.summary(described)
    found, parts = [], [f"{head}\n"]
    for section, records in measured:
        results = Results(records)
        parts.append(f"{heading}{section.name}\n\n{render(*table(section.name, results))}")
        found += targets_of(section.name, results)
    if any(r.get("oversubscribed") for _, records in measured for r in records):
        parts.append(f"{NOTE}\n".replace("*", "\\*" if markdown else "*"))
    if found:
        rows = [targets.row(t) for t in found]
        parts.append(f"{heading}targets\n\n{render(targets.HEADER, rows)}")
    parts += [f"left out: {what}: {why}\n" for what, why in absent.items()]
    return "\n".join(parts), found


def main(arguments=None):
    a = parse(arguments)
    try:
        programs = find_stm(a.build)
    except NotBuilt as error:
        refuse(str(error))
    sections = plan(a, programs)
    a.out.mkdir(parents=True, exist_ok=True)
    described = machine.describe()
    started = time.strftime("%Y-%m-%dT%H:%M:%S%z")
    try:
        with alone() if a.share == 1 else contextlib.nullcontext():
            measured = whole_run.measure_all(sections,
                                             whole_run.journal_of(a.restart, a.out, sections),
                                             a.rounds, a.timeout, a.budget)
    except NotAlone as error:
        print(error, file=sys.stderr)
        return 1
    absent = {f"stm: {v}": "it has not been built" for v in ORDER if v not in programs}
    text, found = report(measured, described, absent, tables.as_text)
    markdown, _ = report(measured, described, absent, tables.as_markdown)
    size = None if a.share == 1 else f"1/{a.share}"
    whole_run.write(a.out, started, size, described, absent, measured, found, text, markdown)
    return whole_run.exit_status(measured, sections, found, a.check_targets)


if __name__ == "__main__":
    sys.exit(main())
