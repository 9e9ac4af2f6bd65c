#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the library keeps to its layers: a component includes only what stands below it.

The order below is the one place where the layers are written down for machines; CONTRIBUTING.md
explains them. The check also bounds the number of files in a folder, the length of files and of
lines, and how much of the public headers is not the public's. And what is installed includes
nothing that is not.
Prints every line that breaks a rule; exit status 1 if there is one.
"""
import argparse
import pathlib
import re
import sys

# Lowest first. Components of one row do not include each other.
LAYERS = [
    ("vocabulary",),  # what users set and read: plain data without code
    ("platform",),
    ("deque",),
    ("strand",),
    ("join",),
    ("scheduler",),
    ("wait",),
    ("runtime",),
    ("fork", "task", "pool", "mapped"),
    ("stop",),
    ("algorithm",),
    ("async", "sync"),
    ("io", "pipeline", "reducer", "stm"),
    ("cilk", "asio", "mpi"),
    ("c",),
    ("all",),
]
RANK = {name: rank for rank, row in enumerate(LAYERS) for name in row}

# Public headers whose component is not the name of their file or folder.
PUBLIC = {
    "nopal/options.hpp": "vocabulary",
    "nopal/statistics.hpp": "vocabulary",
    "nopal/wait/stopped.hpp": "vocabulary",
    "nopal/parallel_invoke.hpp": "fork",
    "nopal/fork_frame.hpp": "fork",
    "nopal/nopal.hpp": "all",
    "nopal/nopal.h": "c",
}
# The serial elision takes the place of the components; whatever selects it includes it.
ELISION = re.compile(r"nopal/(detail/)?serial\b")

INCLUDE = re.compile(r'\s*#\s*include\s+["<]([^">]+)[">]')
MOST_FILES = 20
MOST_COLUMNS = 100
MOST_LINES = 400

# Files that may be longer, each with its own limit and the reason why it is one thing.
LONGER = {
    # The class that users open, whose docstrings and examples are half of it.
    "include/nopal/pool.hpp": 550,
    # The promise of every task. Its members call each other, and all have to be inline.
    "include/nopal/detail/task/task_promise.hpp": 450,
    # What is done under the one lock of the backend; the argument of docs/io.md is about all of it.
    "src/io/backend.cpp": 500,
}
# Folders that may hold more files, each with its own limit and the reason.
FULLER = {
    # What users include, one header for each component, and nopal.hpp and nopal.h.
    "include/nopal": 25,
    # One algorithm, or a family of few, in each: a user looks for a name.
    "include/nopal/algorithm": 60,
}
DETAIL_BEGINS = re.compile(r"namespace (nopal::)?detail {$")
DETAIL_ENDS = re.compile(r"}  // namespace (nopal::)?detail$")
# Lines of a public header, and the share of the lines of all of them: detail/ has what is more.
MOST_DETAIL = 20
SHARE_OF_DETAIL = 0.03


def component_of(name):
    """The component of a file, by the name under which it is included; None if it is not ours."""
    if name in PUBLIC:
        return PUBLIC[name]
    parts = name.removeprefix("nopal/").removeprefix("detail/").split("/")
    word = parts[0].removesuffix(".hpp")
    return word if word in RANK else None


def may_include(user, used):
    return user == used or RANK[used] < RANK[user]


def check_includes(root, complain):
    for base in ("include", "src"):
        for path in sorted((*(root / base).rglob("*.[hc]pp"), *(root / base).rglob("*.h"))):
            own = path.relative_to(root / base).as_posix()
            if ELISION.match(own):
                continue
            user = component_of(own)
            if user is None:
                complain(path, 1, f"'{own}' is in no component")
                continue
            for number, line in enumerate(path.read_text().splitlines(), 1):
                match = INCLUDE.match(line)
                name = match and match[1]
                if not name or ELISION.match(name):
                    continue
                is_ours = any((root / b / name).is_file() for b in {"include", base})
                # Those with a space are no files, and end the compilation.
                if '"' in line and " " not in name and not is_ours:
                    complain(path, number, f"'{name}' is not in {base}/, so that it is missing "
                                           f"where that is installed or built alone")
                used = component_of(name) if is_ours else None
                if used and not may_include(user, used):
                    complain(path, number, f"{user} includes '{name}' of {used}, which does not "
                                           f"stand below it")


def check_folders(root, complain):
    for base in ("include", "src", "variants"):
        for folder in [root / base, *(root / base).rglob("*")]:
            if not folder.is_dir():
                continue
            files = sum(p.is_file() for p in folder.iterdir())
            most = FULLER.get(folder.relative_to(root).as_posix(), MOST_FILES)
            if files > most:
                complain(folder, 0, f"{files} files in one folder; at most {most} are allowed")


def check_lines(root, complain):
    for base in ("include", "src", "variants", "plugins", "apps", "bench", "examples"):
        for path in sorted((root / base).rglob("*.[hc]*")):
            if path.suffix not in (".c", ".cpp", ".h", ".hpp"):
                continue
            lines = len(path.read_text().splitlines())
            most = LONGER.get(path.relative_to(root).as_posix(), MOST_LINES)
            if lines > most:
                complain(path, lines, f"{lines} lines; at most {most} are allowed")


def check_columns(root, complain):
    kinds = ("*.[hc]pp", "CMakeLists.txt", "*.cmake")
    for base in ("include", "src", "variants", "tests", "examples", "apps", "bench", "cmake"):
        for path in sorted(p for kind in kinds for p in (root / base).rglob(kind)):
            for number, line in enumerate(path.read_text().splitlines(), 1):
                if len(line) > MOST_COLUMNS:
                    complain(path, number, f"{len(line)} columns; at most {MOST_COLUMNS} are allowed")


def check_detail(root, complain):
    in_detail = in_all = 0
    for path in sorted((root / "include").rglob("*.hpp")):
        if "detail" in path.relative_to(root).parts:
            continue
        begin = lines = number = 0
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if DETAIL_BEGINS.match(line):
                begin = number
            elif DETAIL_ENDS.match(line):
                lines += number + 1 - begin
        if lines > MOST_DETAIL:
            complain(path, begin, f"{lines} lines of a public header are in namespace detail; at "
                                  f"most {MOST_DETAIL} are allowed")
        in_detail += lines
        in_all += number
    if in_detail > SHARE_OF_DETAIL * in_all:
        complain(root / "include", 0, f"{in_detail} of {in_all} lines of the public headers are in "
                                      f"namespace detail; at most {SHARE_OF_DETAIL:.0%} are allowed")


def run(description, *checks):
    """Runs checks of the tree that the command line names. Returns the exit status."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("root", type=pathlib.Path, help="the source tree")
    root = parser.parse_args().root
    faults = 0

    def complain(path, number, what):
        nonlocal faults
        faults += 1
        print(f"{path.relative_to(root)}:{number}: {what}")

    for check in checks:
        check(root, complain)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(run(__doc__, check_includes, check_folders, check_lines, check_columns, check_detail))
