#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a page, report.html, and a PNG of every figure from what run_bench.py has measured.

Exit status: 0; 2 for a wrong command line or a file that cannot be read.
"""

import argparse
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # the source tree stays as it is

from runner.command_line import need_packages, refuse  # noqa: E402
from runner.documents import Unreadable, find_documents, read_document  # noqa: E402
from runner.programs import default_build  # noqa: E402


def parse(arguments):
    results = default_build() / "bench"
    p = argparse.ArgumentParser(prog="report_bench.py", description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("results", metavar="RESULTS.json|DIR", nargs="*", type=Path, default=[results / "results"],
                   help="results.json of run_bench.py, variants.json of run_variants.py, or a directory with some "
                        "results.json in or below it; several become one report (default: what ./run bench wrote last)")
    p.add_argument("--out", metavar="DIR", type=Path, default=results / "report",
                   help="for report.html and the figures (%(default)s)")
    return p.parse_args(arguments)


def main(arguments=None):
    options = parse(arguments)
    need_packages("numpy", "scipy", "matplotlib")
    from runner.report.build import write_report
    try:
        documents = [read_document(path) for path in find_documents(options.results)]
    except Unreadable as error:
        refuse(str(error))
    try:
        names = write_report(documents, options.out)
    except OSError as error:
        refuse(f"--out {options.out}: cannot be written: {error.strerror}")
    print(f"written to {options.out}: {names[0]} and {len(names) - 1} figures")
    return 0


if __name__ == "__main__":
    sys.exit(main())
