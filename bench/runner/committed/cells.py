# SPDX-License-Identifier: Apache-2.0
"""Figures as cells of a table, and text beside tables."""

import re
import textwrap

from ..tables import Table, number

COLUMNS = 100


def with_error(value, error):
    return f"{value:.2f} ± {error:.2f}"


def scatter(spreads):
    """How far any round lay from its median, in per cent: the most of these spreads."""
    shares = [max(high / median - 1, 1 - low / median) for median, low, high in spreads]
    return f"{100 * max(shares):.0f}%" if shares else number(None)


def machine_name(run):
    """The machine of a run: AMD EPYC (processor 25/97), 2 CPUs (virtual), Debian GNU/Linux 12,
    Linux 6.1."""
    m = run["machine"]
    virtual = " (virtual)" if m["hypervisor"] else ""
    return (f"{m['cpu']} (processor {m['processor']}), {m['cpus']} CPUs{virtual}, {m['system']}, "
            f"{m['kernel']}")


def with_machines(committed, sections, table):
    """The table, with the machine of each row's section where they are not all the same."""
    names = [committed.machine(section) for section in sections]
    if len(set(names)) < 2:
        return table
    return Table([*table.header, "machine"],
                 [[*row, name] for row, name in zip(table.rows, names, strict=True)], table.note)


def wrapped(text, indent=""):
    return textwrap.fill(text, COLUMNS, subsequent_indent=indent, break_long_words=False,
                         break_on_hyphens=False) + "\n"


def as_name(text):
    """As part of a file's name, and of an id: fib-36 of fib(36)."""
    return re.sub(r"[^\w-]", "_", text.rstrip(")").replace("(", "-"))
