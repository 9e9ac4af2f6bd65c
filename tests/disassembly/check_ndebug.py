#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that a program without -DNDEBUG, which is how README compiles one, pays for no assertion of
nopal: a source that uses every component is compiled with and without it, and the code must be the
same.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor


def code_of(arguments, to, *options):
    """Machine code with relocations."""
    made = subprocess.run([arguments.compiler, "-std=c++20", "-O2", "-w", *options,
                           f"-I{arguments.root}/include", "-c",
                           str(arguments.root / "tests/disassembly/every_component.cpp"),
                           "-o", str(to)], capture_output=True, text=True)
    if made.returncode != 0:
        sys.exit(f"every_component.cpp does not compile with {options}:\n{made.stderr[:4000]}")
    listing = subprocess.run([arguments.objdump, "-drw", str(to)], check=True, capture_output=True,
                             text=True).stdout
    return [line for line in listing.splitlines() if "file format" not in line]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--objdump", default="objdump")
    parser.add_argument("--root", type=pathlib.Path, required=True, help="of the project")
    arguments = parser.parse_args()

    ways = {"as in README": [], "with NDEBUG": ["-DNDEBUG"],
            "with the checks": ["-DNOPAL_CHECK=1"]}
    with tempfile.TemporaryDirectory() as directory, ThreadPoolExecutor(len(ways)) as threads:
        plain, ndebug, checked = threads.map(
            lambda way: code_of(arguments, pathlib.Path(directory) / f"{way}.o", *ways[way]), ways)
    print(f"{len(plain)} lines of code, {len(ndebug)} with NDEBUG, {len(checked)} with NOPAL_CHECK")
    if plain != ndebug:
        sys.exit("NDEBUG changes what a program pays for nopal")
    if checked == plain:
        sys.exit("the test of the test: a checking build should differ")


if __name__ == "__main__":
    main()
