#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures nopal's algorithms beside those of the standard library, oneTBB, OpenMP, ips4o and
Rayon. Prints tables, and writes all figures as JSON.

Needs a build with -DNOPAL_BUILD_BENCH=ON. One process for each measurement; all variants of an
algorithm take turns.
"""

import argparse
import sys

sys.dont_write_bytecode = True  # the source tree stays as it is

from runner import whole_run  # noqa: E402
from runner.algorithm.figures import best_peers, disagreeing, table  # noqa: E402
from runner.algorithm.plan import find_algorithms, plan  # noqa: E402
from runner.command_line import add_run_options, numbers, parsed, refuse  # noqa: E402
from runner.programs import NotBuilt  # noqa: E402

SAYS_NOTHING = 1000  # elements, and one round: a smoke test, during which others may measure


def parse(arguments):
    p = argparse.ArgumentParser(prog="run_algorithm.py", description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--algorithm", metavar="NAMES", help="only these, comma-separated; see --list")
    p.add_argument("--data", metavar="NAMES",
                   help="only these, comma-separated, or all; otherwise u64 in each order, and "
                        "each type in random order")
    p.add_argument("--variant", metavar="NAMES", help="only these, comma-separated; see --list")
    p.add_argument("--n", metavar="NUMBERS", default="10000000", help="elements (%(default)s)")
    p.add_argument("--workers", metavar="NUMBERS", default="1,2", help="(%(default)s)")
    p.add_argument("--rounds", metavar="N", type=int, default=5,
                   help="how often all variants take their turn (%(default)s)")
    p.add_argument("--repetitions", metavar="N", type=int, default=1,
                   help="in each process, after one to warm up (%(default)s)")
    add_run_options(p, "results/algorithm", 600)
    p.add_argument("--list", action="store_true",
                   help="list algorithms, data and variants, and exit")
    return parsed(p, arguments, "rounds", "repetitions")


def print_list(found):
    for title, part in (("algorithms", "algorithm"), ("data", "data"), ("variants", "name")):
        print(f"{title}: {' '.join(found.names_of(part))}")
    for family, why in found.absent.items():
        print(f"left out: {family}: {why}")


def main(arguments=None):
    a = parse(arguments)
    try:
        found = find_algorithms(a.build)
    except NotBuilt as error:
        refuse(str(error))
    if a.list:
        print_list(found)
        return 0
    wrong = []  # results that are not those of the others

    def fill(report, measured):
        """All tables."""
        for section, results in measured:
            report.add(section.name, table(section))
            wrong.extend(f"{section.name}: {label} has another result than the others"
                         for label in disagreeing(results))
        report.add("the best peers", best_peers([section for section, _ in measured]))
        report.lines.extend(wrong)

    status = whole_run.run(
        a, plan(a, found), fill, title="Measurements of algorithms", size=None,
        absent={f"algorithm: {family}": why for family, why in found.absent.items()},
        is_smoke=a.rounds == 1 and max(numbers(a.n, "--n")) <= SAYS_NOTHING, rounds=a.rounds)
    return 1 if wrong else status


if __name__ == "__main__":
    sys.exit(main())
