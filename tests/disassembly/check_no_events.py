#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that a build without NOPAL_EVENTS has not one instruction of the seam of events.

A copy of include/ and src/ is made from which every word of the seam is deleted, its headers
included. All sources that emit events, in one, and a program that forks are compiled from the
original and from the copy: code, relocations and symbols must be the same.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

# In this order. What is left over of the seam does not compile: its headers are gone.
DELETED = (
    (r'#include "[\w/]*/events?\.hpp"', '#include "nopal/detail/platform/config.hpp"'),
    (r"^event whereabouts_of_worker\(\) noexcept \{\n(?:.*\n)*?\}\n", ""),
    (r"^ *locate_events\(\w+\);\n", ""),
    (r"^.*\bstrand_id\b.*\n", ""),
    (r"^ *NOPAL_EMIT_FORKING\n", ""),
    (r"^ *(?:detail::)?emit(?:_of)?<[\w:]+>\([^;]*\);\n", ""),
    (r"\bemit<[\w:]+>\(\)", "false"),
)


def without_seam(text):
    for pattern, instead in DELETED:
        text = re.sub(pattern, instead, text, flags=re.MULTILINE)
    return text


def make_copy(root, copy):
    """Returns the sources in which something was deleted."""
    changed = []
    for folder in ("include", "src"):
        for path in sorted((root / folder).rglob("*.[ch]pp")):
            name = path.relative_to(root)
            if path.stem in ("event", "events", "subscription"):
                continue
            text = path.read_text(encoding="utf-8")
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            (copy / name).write_text(without_seam(text), encoding="utf-8")
            if path.suffix == ".cpp" and without_seam(text) != text:
                changed.append(name)
    return changed


def code_of(arguments, root, source, to):
    """Machine code with relocations, and the symbols, of a source compiled in a tree."""
    command = [arguments.compiler, "-std=c++20", "-O2", "-DNDEBUG", "-w",
               "-ffunction-sections",  # so the order of functions does not matter
               *arguments.option,
               f"-I{root}/include", f"-I{root}/src", "-c", str(root / source), "-o", str(to)]
    made = subprocess.run(command, capture_output=True, text=True)
    if made.returncode != 0:
        sys.exit(f"{source} does not compile in {root}:\n{made.stderr}")
    listing = subprocess.run([arguments.objdump, "-drtw", str(to)], check=True, capture_output=True,
                             text=True).stdout
    lines = (line for line in listing.splitlines() if "file format" not in line)
    return sorted(line for line in lines if " *ABS*" not in line)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--objdump", default="objdump")
    parser.add_argument("--root", type=pathlib.Path, required=True, help="of the project")
    parser.add_argument("--expect-difference", action="store_true",
                        help="the test of the test: each source must differ")
    parser.add_argument("option", nargs="*", help="for the compiler, after --")
    arguments = parser.parse_args()

    program, library = pathlib.Path("src/forking.cpp"), pathlib.Path("src/library.cpp")
    with tempfile.TemporaryDirectory() as directory:
        original, copy = pathlib.Path(directory) / "original", pathlib.Path(directory) / "copy"
        for folder in ("include", "src"):
            shutil.copytree(arguments.root / folder, original / folder)
        sources = make_copy(arguments.root, copy)
        for tree in (original, copy):
            shutil.copy(arguments.root / "tests/disassembly/forking.cpp", tree / program)
            # One source, since most of the time goes to the headers that they all include.
            text = "".join(f'#include "{source.relative_to("src")}"\n' for source in sources)
            (tree / library).write_text(text, encoding="utf-8")
        compiled = [program] if arguments.expect_difference else [program, library]

        def differs(source):
            object_file = f"{source.name}.o"
            return (code_of(arguments, original, source, original / object_file)
                    != code_of(arguments, copy, source, copy / object_file))

        with ThreadPoolExecutor(os.cpu_count()) as threads:
            different = [s for s, d in zip(compiled, threads.map(differs, compiled)) if d]
    print(f"{len(sources)} sources of the library and a program; with another code without events: "
          f"{', '.join(map(str, different)) or 'none'}")
    expected = len(compiled) if arguments.expect_difference else 0
    sys.exit(0 if len(different) == expected else "the seam of events leaves something behind"
             if different else "a build with events should differ")


if __name__ == "__main__":
    main()
