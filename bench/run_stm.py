#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures transactions: nopal's, with each place for their locks, beside libitm, a mutex, and the
serial program. Prints tables, and writes all figures as JSON.

Needs a build with -DNOPAL_BUILD_BENCH=ON. One process for each measurement; all variants of a
workload take turns.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PREFIX = "nopal-bench-stm-"
WORKLOADS = "vacation-low,vacation-high,vacation-low+,vacation-high+,intruder+"
METHODS = {"libitm-ml_wt": "ml_wt", "libitm-gl_wt": "gl_wt"}  # of libitm


def parse():
    p = argparse.ArgumentParser(description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--build", metavar="DIR", type=Path, default=ROOT / "build/bench",
                   help="build directory (%(default)s)")
    p.add_argument("--workload", metavar="NAMES", default=WORKLOADS,
                   help="only these, comma-separated (%(default)s)")
    p.add_argument("--variant", metavar="NAMES", help="only these, comma-separated")
    p.add_argument("--threads", metavar="NUMBERS", default="1,2", help="(%(default)s)")
    p.add_argument("--rounds", metavar="N", type=int, default=5,
                   help="how often all variants take their turn (%(default)s)")
    p.add_argument("--share", metavar="N", type=int, default=1,
                   help="divide the amount of work by this (%(default)s)")
    p.add_argument("--out", metavar="FILE", type=Path, help="all figures, as JSON")
    return p.parse_args()


def variants_in(build):
    """The variants that are built, by name: the program, and what it needs in its environment."""
    found = {}
    for path in sorted((build / "bench").glob(PREFIX + "*")):
        name = path.name.removeprefix(PREFIX)
        if name == "libitm":
            found.update({v: (path, {"ITM_DEFAULT_METHOD": m}) for v, m in METHODS.items()})
        else:
            found[name] = (path, {})
    return found


def measure(program, environment, workload, threads, share):
    done = subprocess.run([program, workload, str(threads), str(share)], text=True,
                          stdout=subprocess.PIPE, env=os.environ | environment, check=True)
    return json.loads(done.stdout)


def row_of(variant, figures, baseline):
    seconds = [f["seconds"] for f in figures]
    ratio = statistics.median(b["seconds"] for b in baseline) / statistics.median(seconds)
    return (f"| {variant} | {statistics.median(seconds):.3f} ({min(seconds):.3f}.."
            f"{max(seconds):.3f}) | {ratio:.2f} | "
            f"{statistics.median(f['cpu_seconds'] for f in figures):.3f} | "
            f"{statistics.median(f['conflicts'] for f in figures):.0f} | "
            f"{statistics.median(f['read_set'] for f in figures):.1f} |")


def main():
    arguments = parse()
    variants = variants_in(arguments.build)
    if arguments.variant:
        wanted = arguments.variant.split(",")
        unknown = [v for v in wanted if v not in variants]
        if unknown:
            sys.exit(f"not built: {', '.join(unknown)}; there are {', '.join(variants)}")
        variants = {v: variants[v] for v in wanted}
    if not variants:
        sys.exit(f"nothing to measure in {arguments.build}: build the target nopal_bench")
    results = []
    for workload in arguments.workload.split(","):
        for threads in map(int, arguments.threads.split(",")):
            taking_part = [v for v in variants if v != "serial" or threads == 1]
            figures = {v: [] for v in taking_part}
            for _ in range(arguments.rounds):
                for v in taking_part:
                    program, environment = variants[v]
                    figures[v].append(
                        measure(program, environment, workload, threads, arguments.share))
            first = taking_part[0]
            print(f"\n{workload}, {threads} threads" + (
                ", more than there are CPUs" if threads > (os.cpu_count() or 1) else "") + "\n")
            print(f"| variant | seconds | speed over {first} | CPU seconds | conflicts "
                  "| read-set |\n|---|---:|---:|---:|---:|---:|")
            for v in taking_part:
                print(row_of(v, figures[v], figures[first]), flush=True)
                results += [{"variant": v, **f} for f in figures[v]]
    if arguments.out:
        arguments.out.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
