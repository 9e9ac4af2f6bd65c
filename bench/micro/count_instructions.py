#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Instructions for a fork that nobody steals, counted by callgrind: fib by each front end.

The difference between two runs leaves out what begins and ends a program. What is counted for a
fork includes the two calls that it takes, half of which are leaves.
"""

import argparse
import re
import subprocess
import sys

KINDS = ("calls", "invoke", "returning", "frame", "task", "bare-coroutine")
FEW, MANY = 14, 20


def fib(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


def instructions(program, kind, n):
    run = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
                          program, kind, str(n)], capture_output=True, text=True, check=False)
    counted = re.search(r"Collected : (\d+)", run.stderr)
    if run.returncode != 0 or counted is None or int(run.stdout) != fib(n):
        sys.exit(f"{kind}: {run.stderr}")
    return int(counted.group(1))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("programs", nargs="+", help="fork_instructions, by one or more compilers")
    forks = fib(MANY + 1) - fib(FEW + 1)
    for program in parser.parse_args().programs:
        print(program)
        for kind in KINDS:
            count = instructions(program, kind, MANY) - instructions(program, kind, FEW)
            print(f"  {kind:15} {count / forks:6.1f}")


if __name__ == "__main__":
    main()
