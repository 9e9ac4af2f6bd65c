# SPDX-License-Identifier: Apache-2.0
"""What a report consists of, before it becomes HTML."""

from dataclasses import dataclass

from matplotlib.figure import Figure


@dataclass(frozen=True)
class Text:
    """A paragraph; what stands in backticks is code. Kinds: plain, missing (data that are not
    there), warning."""

    text: str
    kind: str = "plain"


@dataclass(frozen=True)
class Heading:
    """Of a part of a chapter."""

    text: str


@dataclass(frozen=True)
class Table:
    """Rows of cells, below a header. The first `names` columns hold names, the others figures."""

    caption: str
    header: list
    rows: list
    names: int = 1


@dataclass(frozen=True)
class Picture:
    """A figure; `name` is its file's, `alt` says what it shows to those who do not see it."""

    name: str
    alt: str
    caption: str
    figure: Figure


@dataclass(frozen=True)
class Part:
    """A chapter of the report."""

    key: str
    title: str
    items: list


def missing(what, command):
    """The line that stands for data that are not in the records."""
    return Text(f"Left out: {what}. `{command}` measures it.", "missing")
