# SPDX-License-Identifier: Apache-2.0
"""The page: one HTML file that needs nothing beside it, and a PNG of every picture."""

import re
from dataclasses import dataclass
from html import escape
from itertools import groupby
from pathlib import Path

from ..charts import Bars, Lines
from ..libraries import COLOURS, OTHER
from ..tables import Table
from . import draw

STYLE_SHEET = Path(__file__).with_name("page.css")


@dataclass(frozen=True)
class Heading:
    """Of a part of a chapter."""

    text: str


@dataclass(frozen=True)
class Chapter:
    """Its items are headings, texts in the documents' Markdown, tables and pictures."""

    key: str
    title: str
    items: list


def write(title, subtitle, chapters, out):
    """report.html and the PNGs, in the directory `out`. Returns the names of the files."""
    out.mkdir(parents=True, exist_ok=True)
    names = ["report.html"]
    body = []
    for chapter in chapters:
        blocks = []
        # Pictures that follow each other share a grid, tables a row.
        for kind, group in groupby((item for item in chapter.items if not _is_empty(item)), _kind):
            made = []
            for item in group:
                if kind == "pictures":
                    names.append(f"{item.name}.png")
                    made.append(_picture(item, out / names[-1]))
                else:
                    made.append(_table(item) if kind == "tables" else _text(item))
            inner = "\n".join(made)
            blocks.append(f'<div class="{kind}">\n{inner}</div>' if kind != "text" else inner)
        body.append(f'<section id="{chapter.key}">\n<h2>{_marked(chapter.title)}</h2>\n'
                    + "\n".join(blocks) + "\n</section>")
    links = " ".join(f'<a href="#{c.key}">{_marked(c.title)}</a>' for c in chapters)
    (out / "report.html").write_text(f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>
{_colours()}
{STYLE_SHEET.read_text(encoding="utf-8")}</style>
</head>
<body>
<header>
<h1>{escape(title)}</h1>
<p>{_marked(subtitle)}</p>
<nav aria-label="Chapters">{links}</nav>
</header>
<main>
{chr(10).join(body)}
</main>
</body>
</html>
""", encoding="utf-8")
    return names


def _kind(item):
    return ("pictures" if isinstance(item, (Bars, Lines)) else
            "tables" if isinstance(item, Table) else "text")


def _is_empty(item):
    return _kind(item) == "pictures" and item.is_empty


def _colours():
    """The libraries' colours as CSS variables, on white and on dark."""
    both = {f"lib-{library}": shades for library, shades in COLOURS.items()} | {"other": OTHER}
    light, dark = (" ".join(f"--{name}: {shades[index]};" for name, shades in both.items())
                   for index in (0, 1))
    return f":root {{ {light} }}\n@media (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}"


def _marked(text):
    """Escaped text with `code`, and with T_1, P^n and their kin as papers set them. A link of a
    document leads nowhere from here, so its text stays alone."""
    pieces = escape(re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)).split("`")
    for index, piece in enumerate(pieces):
        if index % 2:
            pieces[index] = f"<code>{piece}</code>"
        else:
            piece = re.sub(r"\b([TSM])_([1-9Ps]|peer|nopal|child|lazy|mapped)\b",
                           r"<i>\1</i><sub>\2</sub>", piece)
            pieces[index] = piece.replace("P^n", "<i>P</i><sup><i>n</i></sup>")
    return "".join(pieces)


def _text(item):
    if isinstance(item, Heading):
        return f"<h3>{_marked(item.text)}</h3>"
    if item.startswith("```"):
        return f"<pre>{escape(item.strip('`').strip())}</pre>"
    return f"<p>{_marked(item)}</p>"


def _table(table):
    def row(tag, cells):
        return "<tr>" + "".join(
            f'<{tag}{" class=number" * is_number}>{_marked(str(cell))}</{tag}>'
            for cell, is_number in zip(cells, numbers)) + "</tr>"

    columns = zip(*table.rows) if table.rows else [[name] for name in table.header]
    numbers = [all(re.match(r"[\d–]|$", str(cell)) for cell in column) for column in columns]

    rows = "\n".join(row("td", cells) for cells in table.rows)
    note = f"<p>{_marked(table.note)}</p>\n" if table.note else ""
    return f"""<div class="scrolls" role="region" tabindex="0" aria-label="{escape(
        str(table.header[0]))}">
<table>
<thead>{row("th", table.header)}</thead>
<tbody>
{rows}
</tbody>
</table>
{note}</div>"""


def _picture(chart, png):
    figure = draw.drawn(chart)
    draw.as_png(*figure, png)
    svg = draw.as_svg(*figure, chart.name).replace(
        "<svg ", f'<svg role="img" aria-label="{escape(chart.alt)}" ', 1)
    return f"<figure>\n{svg}<figcaption>{_marked(chart.caption)}</figcaption>\n</figure>\n"
