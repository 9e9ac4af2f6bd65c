# SPDX-License-Identifier: Apache-2.0
"""Tables as text and as Markdown, their cells, and text beside them."""

import re
import textwrap
from dataclasses import dataclass
from statistics import geometric_mean

SERIAL = "serial"
COLUMNS = 100


def number(value, digits=3):
    """Three significant digits, without an exponent where that is short."""
    if value is None:
        return "–"
    if value == 0:
        return "0"
    if abs(value) >= 1000:
        return f"{value:.0f}"
    return f"{value:#.{digits}g}".rstrip(".")


def spread(values):
    """2.19 (2.09..2.30) of [median, lowest, highest]; without the range where it is none."""
    if values is None:
        return number(None)
    median, low, high = values
    return number(median) if low == high else f"{number(median)} ({number(low)}..{number(high)})"


def middle(value):
    """The median of a spread; a number is its own."""
    return value[0] if isinstance(value, list) else value


@dataclass(frozen=True)
class Table:
    """A header and rows of cells, and text below them. As a string it is Markdown."""

    header: list
    rows: list
    note: str = ""

    def __str__(self):
        def line(cells):
            return "| " + " | ".join(str(c).replace("|", "\\|") for c in cells) + " |\n"

        rule = "|---|" + "---:|" * (len(self.header) - 1) + "\n"
        return (line(self.header) + rule + "".join(map(line, self.rows))
                + (f"\n{self.note}" if self.note else ""))

    def as_text(self):
        """For a terminal."""
        columns = [[str(cell) for cell in column] for column in zip(self.header, *self.rows)]
        widths = [max(map(len, column)) for column in columns]
        lines = ["  ".join(cell.rjust(w) if i else cell.ljust(w)
                           for i, (cell, w) in enumerate(zip(row, widths))).rstrip()
                 for row in zip(*columns)]
        lines.insert(1, "  ".join("-" * w for w in widths))
        return "\n".join(lines) + "\n" + (f"\n{self.note}" if self.note else "")


def nested(entries):
    """{row: {column: value}} of (row, column, value), in the order in which they come."""
    found = {}
    for row, column, value in entries:
        found.setdefault(row, {})[column] = value
    return found


def pivot(corner, entries, cell=spread, means=False):
    """A Table of (row, column, value), rows and columns in the order in which they come; below
    them the geometric means of the medians if these are asked for."""
    entries = list(entries)
    columns = list(dict.fromkeys(column for _, column, _ in entries))
    found = nested(entries)
    rows = [[row, *(cell(of.get(column)) for column in columns)] for row, of in found.items()]
    if means:
        rows.append(["geometric mean", *(
            number(geometric_mean([of[column][0] for of in found.values() if of.get(column)]))
            for column in columns)])
    return Table([corner, *columns], rows)


# --- in documents


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


def wrapped(text):
    return textwrap.fill(text, COLUMNS, break_long_words=False, break_on_hyphens=False) + "\n"


def as_name(text):
    """As part of a file's name, and of an id: fib-36 of fib(36)."""
    return re.sub(r"[^\w-]", "_", text.rstrip(")").replace("(", "-"))
