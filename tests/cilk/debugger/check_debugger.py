#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Steps by gdb over a spawn at -O0 -g, and asks for variables. Status 77 without gdb."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PREAMBLE = ["set confirm off", "set pagination off", "set debuginfod enabled off"]
SKIPPED = 77


def line_of(source, text):
    for number, line in enumerate(source.read_text().splitlines(), 1):
        if text in line:
            return number
    sys.exit(f"{source} has no line with '{text}'")


def said_by_gdb(program, commands):
    words = [word for command in PREAMBLE + commands for word in ("-ex", command)]
    run = subprocess.run(["gdb", "-q", "-batch", "-nx", *words, program], capture_output=True,
                         text=True, check=False, timeout=60,
                         env={**os.environ, "NOPAL_WORKERS": "1"})
    return run.stdout + run.stderr


def steps(said):
    """The numbers of the lines that gdb has stopped at."""
    return [int(n) for n in re.findall(r"^(\d+)\t", said, re.MULTILINE)]


def main():
    source, compiler = pathlib.Path(sys.argv[1]), sys.argv[2:]
    if shutil.which("gdb") is None:
        print("skipped: gdb is not there (Debian: gdb)")
        sys.exit(SKIPPED)
    spawn, first = line_of(source, "cilk_spawn leaf"), line_of(source, "int before")
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        for form in [], ["-mllvm", "-nopal-cilk-frames"]:
            program = f"{folder}/steps"
            subprocess.run([*compiler, "-O0", "-g", *form, source, "-o", program], check=True)
            said = said_by_gdb(program, [f"break {source.name}:{first}", "run"])
            if "ptrace" in said:
                print(f"skipped: gdb cannot run a program here: {said}")
                sys.exit(SKIPPED)
            # The rest of the first call is on a worker, where a breakpoint is met in it. The
            # second call is on a worker as a whole.
            on_worker = line_of(source, "int s =")
            cases = {
                "in what a worker continues": ([f"break {source.name}:{spawn + 1}", "run", "next"],
                                               [spawn + 1, spawn + 2], "unused = 7"),
                "on a worker": ([f"break {source.name}:{first} if n == 4", "run", "next", "next",
                                 "next", "next"],
                                [first, first + 1, spawn, spawn + 1, spawn + 2], "unused = 7"),
                "over a call on a worker": ([f"break {source.name}:{on_worker - 1}", "run",
                                             "continue", "next"],
                                            [on_worker - 1, on_worker - 1, on_worker], "n = 4"),
            }
            if form:  # behind the spawned call the function goes on, and not what has called it
                del cases["over a call on a worker"]
            for name, (commands, lines, variable) in cases.items():
                said = said_by_gdb(program, [*commands, "info args", "info locals"])
                if steps(said) != lines or variable not in said:
                    wrong.append(f"{name} {form}: {steps(said)} instead of {lines}, or not "
                                 f"'{variable}':\n{said}")
    print("\n".join(wrong))
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
