# SPDX-License-Identifier: Apache-2.0
"""Tables as text and as Markdown."""

from dataclasses import dataclass
from statistics import geometric_mean

from .ratios import Spread

SERIAL = "serial"


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
    """2.19 (2.09..2.30), of a Spread or of [median, lowest, highest]; without the range where it is
    none."""
    if values is None:
        return number(None)
    median, low, high = values.as_list() if isinstance(values, Spread) else values
    return number(median) if low == high else f"{number(median)} ({number(low)}..{number(high)})"


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


def pivot(corner, entries, cell=spread, means=False):
    """A Table of (row, column, value), rows and columns in the order in which they come; below
    them the geometric means of the medians if these are asked for."""
    entries = list(entries)
    columns = list(dict.fromkeys(column for _, column, _ in entries))
    found = {}
    for row, column, value in entries:
        found.setdefault(row, {})[column] = value
    rows = [[row, *(cell(of.get(column)) for column in columns)] for row, of in found.items()]
    if means:
        rows.append(["geometric mean", *(
            number(geometric_mean([of[column][0] for of in found.values() if of.get(column)]))
            for column in columns)])
    return Table([corner, *columns], rows)
