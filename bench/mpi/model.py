#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Predicts what a tree or a range over many ranks costs: a model of the protocol of docs/mpi.md by
discrete events. Nothing that it prints has been measured.

  model.py --tree unbalanced --units 1e9 --ranks 2,8,64,1024 --network infiniband

Counts are of one rank on an average, over one operation. `search` is the share of the workers' time
without work; `start` the time until half of all workers have work, `final` the time from when half
of them have none any more, `telling` the part of it in which all are told the result.
Exit status: 0; 2 for a wrong command line.
"""

import argparse
import json
import math
import statistics
import sys

sys.dont_write_bytecode = True  # the source tree stays as it is

from networks import NETWORKS  # noqa: E402
from protocol import PROBES  # noqa: E402
from simulation import World  # noqa: E402
from trees import TREES  # noqa: E402

COLUMNS = ["ranks", "seconds", "efficiency", "messages", "bytes", "pieces", "requests", "denials",
           "search", "start", "final", "telling"]


def positive(kind, name):
    def read(text):
        try:
            value = kind(text)
        except ValueError:
            value = 0
        if not 0 < value < math.inf:
            raise argparse.ArgumentTypeError(f"'{text}' is no {name}; it must be more than 0")
        return value
    return read


def several(read):
    return lambda text: [read(each) for each in text.split(",")]


def parse(arguments):
    number, count = positive(float, "number"), positive(int, "count")
    names = "\n".join(f"  {name}: {n.latency * 1e6:g} us, {n.bandwidth / 1e9:g} GB/s; {n.source}"
                      for name, n in NETWORKS.items())
    p = argparse.ArgumentParser(prog="model.py", description=__doc__, epilog=f"networks:\n{names}",
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--tree", choices=sorted(TREES), default="unbalanced",
                   help="what is run: a binary tree, a range, a tree like T1L of UTS (%(default)s)")
    p.add_argument("--units", type=number, default=1e9,
                   help="nodes of the tree, elements of the range (%(default)g)")
    p.add_argument("--unit-ns", type=number, default=100.0,
                   help="how long a worker takes for one, in ns (%(default)g)")
    p.add_argument("--ranks", type=several(count), default=[2, 8, 64, 1024],
                   help="numbers of ranks (2,8,64,1024)")
    p.add_argument("--workers", type=count, default=1, help="of a rank (%(default)s)")
    p.add_argument("--network", choices=sorted(NETWORKS), default="infiniband",
                   help="what carries letters; see below (%(default)s)")
    p.add_argument("--near", type=count, default=1,
                   help="ranks on a machine; network 'machine' has all on one (%(default)s)")
    p.add_argument("--cpus", type=number, default=None,
                   help="CPUs that all workers share (one for each)")
    p.add_argument("--probes", type=count, default=PROBES,
                   help="how many probes in vain end a look (%(default)s, as src/mpi/post.cpp)")
    p.add_argument("--runs", type=count, default=1,
                   help="how many runs by different random numbers each line is the median of")
    p.add_argument("--json", action="store_true", help="print JSON instead of a table")
    return p.parse_args(arguments)


def predict(options, ranks):
    network = NETWORKS[options.network]
    found = []
    for seed in range(options.runs):
        tree = TREES[options.tree](options.units, ranks, seed)
        world = World(tree, ranks, options.workers, network, cost=options.unit_ns * 1e-9,
                      cpus=options.cpus, near=options.near, probes=options.probes, seed=seed)
        found.append(world.run().figures())
    return {key: statistics.median(f[key] for f in found) for key in found[0]}


def cell(value):
    if value >= 100 or value == int(value):
        return f"{value:.0f}"
    return f"{value:.3g}"


def main(arguments=None):
    options = parse(arguments)
    lines = []
    if not options.json:
        print("predicted,", options.tree, f"of {options.units:g} units,", options.network)
        print(" ".join(f"{name:>10}" for name in COLUMNS))
    for ranks in options.ranks:
        line = predict(options, ranks)
        lines.append(line)
        if not options.json:
            print(" ".join(f"{cell(line[name]):>10}" for name in COLUMNS), flush=True)
    if options.json:
        settings = {key: value for key, value in vars(options).items() if key != "json"}
        print(json.dumps({"predicted": True, **settings, "lines": lines}, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
