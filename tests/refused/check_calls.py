#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles wrong calls, and looks at what the compiler says to whoever has written one.

A source has one program for each value of NOPAL_REFUSED. Below the line "#elif NOPAL_REFUSED == n"
stands a comment "// says: text" for each text that the compiler must say, "// says: this || that"
if compilers say it by words of their own. Program 0 is right, and the compiler must say nothing.
What it says of a wrong one has at most LINES lines.

The programs of a source are compiled together, each in a namespace of its own, and what the
compiler says is taken apart by the lines that it names. A program is compiled alone if that leaves
a doubt: compilers say once what is wrong with a type, and once how a header was included.
"""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

LINES = 15
BYTES = 20_000  # of one program; a compiler that says more is stopped
SECONDS = 30  # of processor time
CONDITION = re.compile(r"#\s*(if|elif|else|endif)\w*\b\s*(?:NOPAL_REFUSED == (\d+)$)?")
SAYS = re.compile(r"\s*// says: (.*)")
INCLUDES = re.compile(r"#\s*include (<.*>|\"nopal/.*\")")
MESSAGE = re.compile(r"[^|]*?\b(error|warning|note): ")
QUOTED = re.compile(r" *\d* \| ")


class Source:
    """A file of programs: the texts that must be said of each, and the lines that are its own."""

    def __init__(self, path):
        self.path = path
        self.texts = {}
        self.case_of_line = {}
        self.headers = []
        open_conditions = []  # the cases of the branches that the line lies in
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if match := CONDITION.match(line):
                word, case = match.groups()
                if word != "if":
                    open_conditions.pop()
                if word != "endif":
                    open_conditions.append(int(case) if case else None)
                    if case:
                        self.texts.setdefault(int(case), [])
                continue
            case = next((c for c in reversed(open_conditions) if c is not None), None)
            if case is not None:
                self.case_of_line[number] = case
                if match := SAYS.match(line):
                    self.texts[case].append(match.group(1))
            if match := INCLUDES.match(line):
                self.headers.append(match.group(1))

    def case_at(self, lines):
        """The case that lines of messages point to, or None."""
        for name, number in re.findall(r"(?m)^(.*?):(\d+):", "\n".join(lines)):
            if name.endswith(self.path.name) and int(number) in self.case_of_line:
                return self.case_of_line[int(number)]
        return None


def said_of(command, limit_of_bytes=BYTES):
    """What the compiler says, no more of it than the limit, and whether it has ended by itself."""
    limit = f"ulimit -t {SECONDS}; exec \"$@\""
    with subprocess.Popen(["sh", "-c", limit, "sh", *command], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True) as compiler:
        said = compiler.stdout.read(limit_of_bytes)
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


def messages_of(said):
    """The errors and warnings, each as the lines up to the one with its text, and its notes."""
    messages, before = [], []
    for line in said.splitlines():
        kind = None if QUOTED.match(line) else MESSAGE.match(line)
        if kind and kind.group(1) != "note":
            messages.append(([*before, line], []))
            before = []
        elif messages and (kind or QUOTED.match(line)):
            messages[-1][1].extend([*before, line])
            before = []
        else:
            before.append(line)
    return messages


def taken_apart(source, said):
    """What is said of each case whose lines the messages name, and the cases in doubt: a message
    that names no line belongs to the one before it."""
    cases, doubts, case = collections.defaultdict(list), set(), None
    for text, notes in messages_of(said):
        named = source.case_at(text) or source.case_at(notes)
        case = named or case
        cases[case] += text + notes
        if not named:
            doubts.add(case)
    return cases, doubts


class Compiler:
    """A compiler, its options, and all headers of the sources, compiled once."""

    def __init__(self, command, sources, folder, makes_code):
        self.folder = folder
        self.command = [*command, "-Werror=unused-result"]
        clang = "clang" in pathlib.Path(command[0]).name
        headers = ["\"nopal/nopal.hpp\""]  # first: messages say how a header was included
        headers += sorted({header for source in sources for header in source.headers})
        all_headers = folder / "headers.hpp"
        all_headers.write_text("".join(f"#include {h}\n" for h in headers))
        compiled = folder / ("headers.hpp.pch" if clang else "headers.hpp.gch")
        subprocess.run([*self.command, "-x", "c++-header", all_headers, "-o", compiled], check=True)
        self.command += ["-include-pch", compiled] if clang else ["-include", all_headers]
        self.command += ["-S", "-o", os.devnull] if makes_code else ["-fsyntax-only"]
        # The lines that may be missing if it says how a header was included, and if there were errors.
        self.lines_saved = 2 if clang else 5
        self.together = ["-Wno-return-type"]  # a main() in a namespace is one function of many
        self.together += ["-ferror-limit=0"] if clang else ["-Wno-subobject-linkage"]

    def says(self, limit_of_bytes, options):
        """What is said, as if sources included nopal.hpp themselves, and whether they compile."""
        said, status = said_of([*self.command, *options], limit_of_bytes)
        includes = re.compile(rf".*from {re.escape(str(self.folder))}/.*:\d+[:,]")
        return "\n".join(s for s in said.splitlines() if not includes.match(s)), status

    def says_alone(self, source, case):
        """What is said of one program."""
        return self.says(BYTES, [f"-DNOPAL_REFUSED={case}", source.path])

    def says_together(self, name, programs):
        """What is said of programs of sources in one file."""
        path = self.folder / f"{name}_together.cpp"
        path.write_text("".join(
            f"namespace {source.path.stem}_{case} {{\n#define NOPAL_REFUSED {case}\n"
            f"#include \"{source.path.resolve()}\"\n#undef NOPAL_REFUSED\n}}\n"
            for source, case in programs))
        return self.says(BYTES * len(programs), [*self.together, path])


def faults_of(compiler, source, alone):
    """What is said of the wrong programs of a source and what is wrong about that, and how many had
    to be compiled alone."""
    cases = [case for case in source.texts if case != 0]
    said, doubts = {}, {None}
    if not alone:
        together, _ = compiler.says_together(source.path.stem, [(source, c) for c in cases])
        said, doubts = taken_apart(source, together)
    looked_at, singles = [], 0
    for case in cases:
        text = "\n".join(said.get(case, []))
        fault = fault_of(case, source.texts[case], text, int(bool(text)))
        if fault or doubts & {case, None} or len(said[case]) > LINES - compiler.lines_saved:
            text, status = compiler.says_alone(source, case)
            fault = fault_of(case, source.texts[case], text, status)
            singles += 1
        looked_at.append((source, case, text, fault))
    return looked_at, singles


def faults_of_right_programs(compiler, sources):
    """The same for the right programs of all sources."""
    right = [(source, 0) for source in sources if 0 in source.texts]
    said, status = compiler.says_together("right", right)
    if not status and not said:
        return [(source, 0, "", "") for source, _ in right], 0
    looked_at = []
    for source, _ in right:
        text, status = compiler.says_alone(source, 0)
        looked_at.append((source, 0, text, fault_of(0, [], text, status)))
    return looked_at, len(right)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--source", type=pathlib.Path, action="append", required=True)
    parser.add_argument("--show", action="store_true", help="print what is said of every case")
    parser.add_argument("--alone", action="store_true", help="compile each program alone")
    parser.add_argument("--code", action="store_true",
                        help="make code, when compilers see more than in the syntax")
    parser.add_argument("command", nargs=argparse.REMAINDER, help="the compiler and its options")
    arguments = parser.parse_args()
    sources = [Source(path) for path in arguments.source]
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        compiler = Compiler(arguments.command, sources, pathlib.Path(folder),
                            arguments.code)
        parts = [pool.submit(faults_of_right_programs, compiler, sources)]
        parts += [pool.submit(faults_of, compiler, source, arguments.alone) for source in sources]
        count = faults = alone = 0
        for part in parts:
            looked_at, singles = part.result()
            count += len(looked_at)
            alone += singles
            for source, number, said, fault in looked_at:
                faults += bool(fault)
                if arguments.show:
                    print(f"{source.path.name}, {number}: {len(said.splitlines())} lines\n{said}")
                if fault and not arguments.show:
                    print(f"{source.path.name}, {number}: {fault}")
    print(f"{count} cases, {alone} of them compiled alone, {faults} faults")
    sys.exit(faults > 0)


if __name__ == "__main__":
    main()
