#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures transactions: nopal's, with each place for their locks, beside libitm, crates of Rust, a
mutex and the serial program. Prints tables, and writes all figures as JSON.

Needs a build with -DNOPAL_BUILD_BENCH=ON. One process for each measurement; all variants of a
workload take turns.
"""

import argparse
import sys

sys.dont_write_bytecode = True  # the source tree stays as it is

from runner import whole_run  # noqa: E402
from runner.command_line import add_run_options, parsed, refuse  # noqa: E402
from runner.programs import NotBuilt  # noqa: E402
from runner.stm.figures import NOTE, table  # noqa: E402
from runner.stm.plan import ORDER, SECTIONS, find_stm, plan  # noqa: E402


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


def fill(report, measured):
    """All tables."""
    for section, _ in measured:
        report.add(section.name, table(section))
    if any(r.get("oversubscribed") for _, results in measured for r in results.good):
        report.lines.append(NOTE)


def main(arguments=None):
    a = parse(arguments)
    try:
        programs = find_stm(a.build)
    except NotBuilt as error:
        refuse(str(error))
    return whole_run.run(
        a, plan(a, programs), fill, title="Measurements of transactions",
        size=None if a.share == 1 else f"1/{a.share}",
        absent={f"stm: {v}": "it has not been built" for v in ORDER if v not in programs},
        is_smoke=a.share != 1, rounds=a.rounds)


if __name__ == "__main__":
    sys.exit(main())
