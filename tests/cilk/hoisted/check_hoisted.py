#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles hoisted.cpp, and counts the look-ups of views in the bodies of its parallel loops.

The functions whose names begin with "once" look up once, before any loop. Those with "vectors" do so
too, and their loops are made loops of vectors. Those with "often" look up within the loop.
"""

import argparse
import re
import subprocess
import sys

BODY = re.compile(r'^define internal void @"?(\w+)\.turns.*?^}', re.MULTILINE | re.DOTALL)
LOOK_UP = "nopal_views_of_strand"


def faults_of(name, body):
    before = body.split("do.body:")[0].split("vector.body:")[0]
    if name.startswith("often"):
        return [] if LOOK_UP not in before else [f"{name} looks up before its loop"]
    faults = []
    if body.count(LOOK_UP) != 1 or before.count(LOOK_UP) != 1:
        faults.append(f"{name} has {body.count(LOOK_UP)} look-ups, {before.count(LOOK_UP)} of them "
                      "before its loop")
    if name.startswith("vectors") and "vector.body:" not in body:
        faults.append(f"{name} has no loop of vectors")
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source")
    parser.add_argument("command", nargs=argparse.REMAINDER, help="the compiler and its options")
    arguments = parser.parse_args()
    run = subprocess.run([*arguments.command, "-S", "-emit-llvm", "-fno-discard-value-names", "-o",
                          "-", arguments.source], capture_output=True, text=True, check=False)
    if run.returncode != 0:
        sys.exit(run.stderr)
    bodies = {m.group(1): m.group(0) for m in BODY.finditer(run.stdout)}
    faults = [] if len(bodies) == 6 else [f"the bodies are {', '.join(bodies)}"]
    for name, body in bodies.items():
        faults += faults_of(name, body)
    sys.exit("\n".join(faults) or 0)


if __name__ == "__main__":
    main()
