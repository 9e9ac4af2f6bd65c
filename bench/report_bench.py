#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes every table of measured figures in the documents, from bench/results.json.

--check writes nothing and says where a document has a table or a figure that the results do not
give, or a broken link.
--keep first puts into bench/results.json what was measured; sections of the same workload and size
are replaced.
--html makes a page, report.html, and its pictures, from RESULTS or else from what is kept.
RESULTS are results.json of run_bench.py, run_pool.py, run_stm.py or run_stacks.py, or directories
with some in or below them (default of --keep: what ./run bench wrote last).
Exit status: 0; 1 if --check found something; 2 for a wrong command line or a file that cannot be
read.
"""

import argparse
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # the source tree stays as it is

from runner.command_line import need_packages, refuse  # noqa: E402
from runner.committed import checks, distil, pages, results  # noqa: E402
from runner.committed.tables import TABLES  # noqa: E402
from runner.documents import Unreadable, find_documents, read_document  # noqa: E402
from runner.programs import default_build  # noqa: E402
from runner.stacks.figures import OF_SECTION  # noqa: E402


def parse(arguments):
    measured = default_build() / "bench"
    p = argparse.ArgumentParser(prog="report_bench.py", description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    how = p.add_mutually_exclusive_group()
    how.add_argument("--check", action="store_true", help="say what is wrong in the documents")
    how.add_argument("--keep", action="store_true",
                     help="put RESULTS into bench/results.json, and write the tables")
    how.add_argument("--html", action="store_true", help="make report.html and its figures")
    p.add_argument("results", metavar="RESULTS", nargs="*", type=Path)
    p.add_argument("--out", metavar="DIR", type=Path,
                   help=f"with --html: where to ({measured / 'report'})")
    a = p.parse_args(arguments)
    if a.results and not (a.keep or a.html):
        refuse(f"{a.results[0]}: only --keep and --html read RESULTS; tables come from "
               "bench/results.json")
    if a.out and not a.html:
        refuse("--out is for --html")
    if a.keep:
        a.results = a.results or [measured / "results"]
    a.results = [path.resolve() for path in a.results]
    a.out = a.out or measured / "report"
    return a


def write_html(committed, out):
    need_packages("numpy", "scipy", "matplotlib")
    from runner.report import chapters, page
    dates = sorted(run["started"][:10] for run in committed.runs)
    when = " to ".join(dict.fromkeys((dates[0], dates[-1])))
    try:
        names = page.write("nopal: measurements", f"{when}. Median (lowest..highest), three "
                           "significant digits.", chapters.chapters(committed), out)
    except OSError as error:
        refuse(f"--out {out}: cannot be written: {error.strerror}")
    print(f"written to {out}: {names[0]} and {len(names) - 1} figures")


def measured_by(paths):
    """The documents of what was measured."""
    return [read_document(path) for path in find_documents(paths)]


def keep(measured, root):
    for document in measured:
        if document.size == "smoke" and any(section.n is not None or section.name in OF_SECTION
                                            for section in document.sections):
            refuse(f"{document.path}: the size 'smoke' says nothing of speed; measure with --size "
                   "quick or paper")
    path = results.path_in(root)
    content = distil.replace(results.from_text(path.read_text(encoding="utf-8")),
                             distil.distil(measured))
    text = results.as_text(content)
    if len(text.encode()) >= results.LARGEST:
        refuse(f"bench/results.json would have {len(text.encode())} bytes and must have less than "
               f"{results.LARGEST}")
    path.write_text(text, encoding="utf-8")


def check(root):
    found = [*pages.differences(TABLES, results.read(root), root), *checks.stray_figures(root),
             *checks.broken_links(root)]
    for line in found:
        print(line)
    return 1 if found else 0


def main(arguments=None, root=results.ROOT):
    options = parse(arguments)
    if options.check:
        return check(root)
    try:
        if options.html:
            is_kept = options.results in ([], [results.path_in(root)])
            write_html(results.read(root) if is_kept else results.Committed(
                distil.distil(measured_by(options.results))), options.out)
            return 0
        if options.keep:
            keep(measured_by(options.results), root)
        changed = pages.write(TABLES, results.read(root), root)
    except (Unreadable, pages.Wrong, results.NotMeasured) as error:
        refuse(str(error))
    print(f"written: {', '.join(changed)}" if changed
          else "every table is as bench/results.json has it")
    return 0


if __name__ == "__main__":
    sys.exit(main())
