#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds in comments what a pattern can find of what CONTRIBUTING.md asks of them (Words).

A comment starts with its subject and has no first person. It has a line of its own if the code
beside it would have to be broken for it. The words are looked for in comments of C, C++, Promela,
Python and CMake; comments beside code, in C and C++ only. Prints every comment that breaks a rule;
exit status 1 if there is one.
"""
import pathlib
import re
import sys

import check_layout

FOLDERS = ["apps", "bench", "cmake", "examples", "include", "plugins", "src", "tests", "variants"]
SLASHES = {".c", ".cpp", ".h", ".hpp"}
HASHES = {".cmake", ".py", ".txt"}
MOST_COLUMNS = 100

RULES = [
    (r"\b([Ww]e|[Uu]s|[Oo]urs?|[Mm]y)\b(?! leave)|"
     r"\bI (am|can|could|do|did|had|have|know|may|must|see|should|think|want|was|will|would)\b",
     "nobody in a comment is I or we"),
    (r"\b([Hh]e|[Ss]he|[Hh]is|[Hh]ers?)\b", "a thread is it"),
    (r"\bWho\b(?![^.]*\?)", "'Who …' has no subject: write 'Whoever' or name the thing"),
    (r"\b(by|for|of|from|to|with|than) who\b", "write 'whoever', or name the thing"),
    (r"\bbut for\b", "'but for' is read twice: write 'except for' or 'apart from'"),
    (r"^(Of|Among) (the|a|an|all|it|its|that|them|these|this|those|what)\b|"
     r"^(At|By|For|From|In|On|To|With) which\b",
     "a comment starts with its subject"),
]


def of_slashes(text):
    """The comments of C and C++ that have lines of their own, or end one: (line, text)."""
    for number, line in enumerate(text.split("\n"), 1):
        own = re.match(r"\s*//[/!]?<? ?(.*)", line)
        beside = None if own else re.search(r"[;{},)\w]  //[/!]?<? ([^\"]*)$", line)
        if own or beside:
            yield number, own is not None, (own or beside)[1]
    for block in re.finditer(r"/\*.*?\*/", text, re.DOTALL):
        first = text.count("\n", 0, block.start()) + 1
        for number, line in enumerate(block[0].strip("/*").split("\n"), first):
            yield number, True, line.strip().removeprefix("*").strip()


def of_hashes(text):
    for number, line in enumerate(text.split("\n"), 1):
        if match := re.match(r"\s*# ?(.*)", line):
            yield number, True, match[1]


def comments(path):
    """Every comment as one text, and the number of its first line. An empty line ends one."""
    text = path.read_text(encoding="utf-8")
    lines = of_hashes(text) if path.suffix in HASHES else of_slashes(text)
    first, last, words = 0, -1, []
    for number, is_own, line in lines:
        if words and (number != last + 1 or not is_own or not line):
            yield first, " ".join(words)
            words = []
        if line:
            first = first if words else number
            words.append(line)
        last = number if is_own else -1
    if words:
        yield first, " ".join(words)


def broken_for_comments(text):
    """Lines that end with a comment for whose sake the statement goes over two lines."""
    lines = text.split("\n")
    for number in range(1, len(lines)):
        if re.match(r"\s*}  // pairs with", lines[number]):
            yield number + 1
        above, beside = lines[number - 1], re.match(r"\s*([^\s/].*?[;,{)])  +//", lines[number])
        if not beside or "//" in above or not re.search(r"([(=]|\w\{)$", above):
            continue
        joined = above + ("" if above[-1] in "({" else " ") + beside[1]
        if len(joined) <= MOST_COLUMNS:
            yield number + 1


def check_comments(root, complain):
    for path in sorted(p for folder in FOLDERS for p in (root / folder).rglob("*")):
        if path.name == pathlib.Path(__file__).name or not path.is_file():
            continue
        if path.suffix in SLASHES | HASHES | {".pml"}:
            for number, words in comments(path):
                for pattern, rule in RULES:
                    if found := re.search(pattern, words):
                        complain(path, number, f"'{words[max(0, found.start() - 20):][:60]}': {rule}")
        if path.suffix in SLASHES:
            for number in broken_for_comments(path.read_text(encoding="utf-8")):
                complain(path, number, "this comment breaks its statement: give it a line above")


if __name__ == "__main__":
    sys.exit(check_layout.run(__doc__, check_comments))
