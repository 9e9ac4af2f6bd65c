# SPDX-License-Identifier: Apache-2.0
"""Checks of what the command line names."""

import importlib.util
import shlex
import sys
from pathlib import Path

from .programs import default_build

USAGE_ERROR = 2
UNITS = {"s": 1, "m": 60, "h": 3600}
SCRIPTS = {"run_bench": "./run bench", "run_pool": "./run bench pool",
           "run_stm": "./run bench stm", "run_stacks": "./run bench stacks",
           "run_algorithm": "./run bench algorithm"}


def refuse(message):
    """Ends the program for a wrong command line."""
    print(message, file=sys.stderr)
    sys.exit(USAGE_ERROR)


def typed(arguments):
    """The command that sys.argv stands for, as people type it, without the options that only say
    which directories to use."""
    words = [SCRIPTS.get(Path(arguments[0]).stem, Path(arguments[0]).name)]
    rest = iter(arguments[1:])
    for word in rest:
        if word in ("--build", "--out"):
            next(rest, None)
        elif word != "--restart" and not word.startswith(("--build=", "--out=")):
            words.append(shlex.quote(word))
    return " ".join(words)


def chosen(text, valid, kind):
    """The names of a comma-separated list, each of which must be valid; all that are valid if there
    is no list."""
    if text is None:
        return list(valid)
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names or [text]:
        if name not in valid:
            refuse(f"no {kind} '{name}'; there are: {' '.join(valid)}")
    return names


def numbers(text, kind):
    """The positive integers of a comma-separated list."""
    try:
        values = [int(word) for word in text.split(",")]
    except ValueError:
        values = []
    if not values or min(values) < 1:
        refuse(f"{kind}: '{text}' is no list of positive numbers such as 1,2")
    return values


def seconds_in(text):
    """The seconds in 90, 90s, 10m or 1.5h."""
    number, unit = (text[:-1], text[-1]) if text[-1:] in UNITS else (text, "s")
    try:
        value = float(number) * UNITS[unit]
    except ValueError:
        value = 0
    if not 0 < value < float("inf"):
        refuse(f"--budget: '{text}' is no time greater than 0 such as 90s, 10m or 1.5h")
    return value


def add_run_options(p, out, timeout):
    """The options of every program that measures; out: where below BUILD/bench its files go."""
    p.add_argument("--build", metavar="DIR", type=Path, default=default_build(),
                   help="build directory (%(default)s)")
    p.add_argument("--budget", metavar="TIME",
                   help="90s, 10m, 1.5h: leave out rounds, never the first, that would take longer "
                        "in all, and end a process of the first that does")
    p.add_argument("--timeout", metavar="SECONDS", type=float, default=timeout,
                   help="for one process (%(default)s)")
    p.add_argument("--out", metavar="DIR", type=Path,
                   help=f"for results.json, table.txt, table.md (BUILD/bench/{out})")
    p.add_argument("--restart", action="store_true",
                   help="forget the measurements of an interrupted run in DIR")
    p.add_argument("--check-targets", action="store_true",
                   help="exit with status 1 if a target that must be is missed")
    p.set_defaults(default_out=out)


def parsed(p, arguments, *positive):
    """What the command line says, which must be greater than 0 for the options named. --out is
    there, and --budget is in seconds or None."""
    a = p.parse_args(arguments)
    for name in (*positive, "timeout"):
        value = getattr(a, name)
        if value is not None and not 0 < value < float("inf"):
            refuse(f"--{name} must be greater than 0, not {value}")
    a.budget = a.budget and seconds_in(a.budget)
    a.out = a.out or a.build / "bench" / a.default_out
    return a


def need_packages(*names):
    """Ends the program if one of these Python packages is missing."""
    missing = [name for name in names if importlib.util.find_spec(name) is None]
    if missing:
        refuse(f"{sys.executable} lacks {', '.join(missing)}; on Debian: apt-get install "
               f"{' '.join(f'python3-{name}' for name in missing)}, and run it with "
               "/usr/bin/python3")
