#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the subjects of commits against what CONTRIBUTING.md says of them (Commits).

Looks at the commits that come after the one with which this check came, since those before it knew
no list of prefixes. Merges are left out. Without a history there is nothing to check: a copy of the
tree without git, or one that git refuses to read, passes. Prints every subject that breaks a rule;
exit status 1 if there is one.
"""
import argparse
import pathlib
import re
import subprocess
import sys

HERE = "tests/layout/check_commits.py"
MOST_CHARACTERS = 72


def prefixes(root):
    """The list is the words in backquotes of the sentence that begins 'The prefixes are'."""
    text = (root / "CONTRIBUTING.md").read_text(encoding="utf-8")
    return re.findall(r"`([^`]+)`", re.search(r"The\s+prefixes\s+are[^.]*\.", text)[0])


def git(root, *arguments):
    """The lines that git prints; none if it fails."""
    try:
        run = subprocess.run(["git", "-C", str(root), *arguments], stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return []
    return run.stdout.splitlines()


def subjects(root):
    """(commit, subject) of each commit to look at."""
    first = git(root, "log", "--diff-filter=A", "--format=%H", "--", HERE)
    if not first:
        return []
    log = git(root, "log", "--no-merges", "--ancestry-path", "--format=%h %s", f"{first[-1]}..HEAD")
    return [line.split(" ", 1) for line in log]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", type=pathlib.Path, help="the source tree")
    parser.add_argument("--subject", action="append", help="look at this one instead of the history")
    arguments = parser.parse_args()
    allowed = prefixes(arguments.root)
    given = [("-", s) for s in arguments.subject or []]
    faults = []
    for commit, subject in given or subjects(arguments.root):
        if len(subject) > MOST_CHARACTERS:
            faults.append(f"{commit} {subject}: {len(subject)} characters; at most "
                          f"{MOST_CHARACTERS} are allowed")
        prefix = subject.partition(": ")[0]
        if prefix not in allowed and not subject.startswith('Revert "'):
            faults.append(f"{commit} {subject}: no prefix '{prefix}'; there are: "
                          f"{', '.join(allowed)}")
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
