#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles a program that is wrong, and compares what the compiler says with what the program says.

After each line that is wrong stands a comment "//! COLUMN: error: text", one for each message.
"""

import argparse
import pathlib
import re
import subprocess
import sys

EXPECTED = re.compile(r"//! (\d+: (?:error|warning): .*)")
SAID = re.compile(r"(\d+):(\d+: (?:error|warning): .*)")


def expected_of(source):
    all_of_them, line_of_code = [], 0
    for number, line in enumerate(source.read_text().splitlines(), 1):
        text = EXPECTED.match(line.strip())
        if text:
            all_of_them.append(f"{line_of_code}:{text.group(1)}")
        else:
            line_of_code = number
    return all_of_them


def said_of(command, source):
    run = subprocess.run([*command, "-fsyntax-only", "-ferror-limit=0", "-fno-caret-diagnostics",
                          "-fno-color-diagnostics", source], capture_output=True, text=True,
                         check=False)
    if run.returncode == 0:
        sys.exit(f"{source} was compiled")
    prefix = f"{source}:"
    lines = [line.removeprefix(prefix) for line in run.stderr.splitlines()
             if line.startswith(prefix)]
    return [line for line in lines if SAID.match(line)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("command", nargs=argparse.REMAINDER, help="the compiler and its options")
    arguments = parser.parse_args()
    expected, said = expected_of(arguments.source), said_of(arguments.command, arguments.source)
    for line in [f"missing: {e}" for e in expected if e not in said] + \
                [f"unexpected: {s}" for s in said if s not in expected]:
        print(line)
    sys.exit(sorted(expected) != sorted(said))


if __name__ == "__main__":
    main()
