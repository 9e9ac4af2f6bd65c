#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles wrong calls, and looks at what the compiler says to whoever has written one.

A source has one program for each value of NOPAL_REFUSED. Below the line "#elif NOPAL_REFUSED == n"
stands a comment "// says: text" for each text that the compiler must say, "// says: this || that"
if compilers say it by words of their own. Program 0 is right, and the compiler must say nothing.
What it says of a wrong one has at most LINES lines.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

LINES = 15
BYTES = 20_000  # a compiler that says more is stopped
SECONDS = 30  # of processor time
CASE = re.compile(r"#\s*(?:el)?if NOPAL_REFUSED == (\d+)$")
SAYS = re.compile(r"\s*// says: (.*)")


def cases_of(source):
    """The numbers of the programs of a source, with the texts that must be said of them."""
    cases, case = {}, None
    for line in source.read_text().splitlines():
        if match := CASE.match(line):
            case = cases.setdefault(int(match.group(1)), [])
        elif match := SAYS.match(line):
            case.append(match.group(1))
    return cases


def said_of(command):
    """What the compiler says, no more of it than BYTES, and whether it has ended by itself."""
    limit = f"ulimit -t {SECONDS}; exec \"$@\""
    with subprocess.Popen(["sh", "-c", limit, "sh", *command], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True) as compiler:
        said = compiler.stdout.read(BYTES)
        compiler.stdout.close()  # the next line that it writes ends it
        compiler.wait()
    return said, compiler.returncode


def fault_of(number, texts, said, status):
    """What is wrong about what the compiler has said, or an empty string."""
    if status < 0 or status > 128 or len(said) == BYTES:
        return "the compiler does not come to an end"
    if number == 0:
        return f"the right program is refused:\n{said}" if status or said else ""
    lines = said.splitlines()
    if status == 0:
        return "the wrong program is compiled"
    if not texts:
        return "the source does not say what the compiler must say"
    if missing := [text for text in texts if not any(t in said for t in text.split(" || "))]:
        return f"the compiler does not say \"{missing[0]}\":\n{said}"
    if len(lines) > LINES:
        return f"the compiler says {len(lines)} lines, more than {LINES}:\n{said}"
    return ""


def precompiled(command, folder):
    """The options to use all of nopal, compiled once for all cases."""
    clang = "clang" in pathlib.Path(command[0]).name
    compiled = folder / ("nopal.hpp.pch" if clang else "nopal.hpp.gch")
    header = pathlib.Path(__file__).parents[2] / "include/nopal/nopal.hpp"
    subprocess.run([*command, "-x", "c++-header", header, "-o", compiled], check=True)
    return ["-include-pch", compiled] if clang else ["-include", compiled.with_suffix("")]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--source", type=pathlib.Path, action="append", required=True)
    parser.add_argument("--show", action="store_true", help="print what is said of every case")
    parser.add_argument("command", nargs=argparse.REMAINDER, help="the compiler and its options")
    arguments = parser.parse_args()
    command = [*arguments.command, "-Werror=unused-result"]
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        command += precompiled(command, pathlib.Path(folder))

        def look_at(source, number, texts):
            said, status = said_of([*command, "-fsyntax-only", f"-DNOPAL_REFUSED={number}", source])
            return source, number, said, fault_of(number, texts, said, status)

        looked_at = [pool.submit(look_at, source, number, texts) for source in arguments.source
                     for number, texts in cases_of(source).items()]
        faults = 0
        for case in looked_at:
            source, number, said, fault = case.result()
            faults += bool(fault)
            if arguments.show:
                print(f"{source.name}, {number}: {len(said.splitlines())} lines\n{said}")
            elif fault:
                print(f"{source.name}, {number}: {fault}")
    print(f"{len(looked_at)} cases, {faults} faults")
    sys.exit(faults > 0)


if __name__ == "__main__":
    main()
