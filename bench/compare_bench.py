#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares two results.json case by case: which became faster, which slower, beyond the noise.

Exit status: 0; 1 if a case is slower beyond the bound; 2 for a wrong command line or a file that
cannot be read.
"""

import argparse
import json
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # the source tree stays as it is

from runner.command_line import need_packages, refuse  # noqa: E402
from runner.documents import Unreadable, read_document  # noqa: E402


def bound_of(text):
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 1 <= value < float("inf"):
        refuse(f"--bound must be a number of at least 1, such as 1.03, not '{text}'")
    return value


def parse(arguments):
    p = argparse.ArgumentParser(prog="compare_bench.py", description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("a", metavar="A.json", type=Path, help="the run before")
    p.add_argument("b", metavar="B.json", type=Path, help="the run after")
    p.add_argument("--bound", default="1.03",
                   help="how much slower a case may be, noise taken off (%(default)s)")
    p.add_argument("--json", action="store_true", help="print JSON instead of a table")
    a = p.parse_args(arguments)
    a.bound = bound_of(a.bound)
    return a


def main(arguments=None):
    options = parse(arguments)
    need_packages("numpy")
    from runner.compare import as_text, compare
    try:
        a, b = read_document(options.a), read_document(options.b)
    except Unreadable as error:
        refuse(str(error))
    found = compare(a, b, options.bound)
    print(json.dumps(found, indent=1) if options.json else as_text(found))
    return 1 if any(c["beyond_bound"] for c in found["cases"]) else 0


if __name__ == "__main__":
    sys.exit(main())
