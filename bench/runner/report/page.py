# SPDX-License-Identifier: Apache-2.0
"""The report as a page of HTML, with the pictures beside it."""

import re
from dataclasses import dataclass
from html import escape
from itertools import groupby
from pathlib import Path
from string import Template

from ..charts import Bars, Lines
from ..tables import Table
from . import draw

PAGE = Path(__file__).with_name("page.html")
HEADING = "### "  # of a part of a chapter


@dataclass(frozen=True)
class Chapter:
    """Its items are texts in the documents' Markdown, among them headings, tables and pictures."""

    key: str
    title: str
    items: list


def write(title, subtitle, chapters, out):
    """report.html and the pictures, in the directory `out`. Returns the names of the files."""
    out.mkdir(parents=True, exist_ok=True)
    names, body = ["report.html"], []
    for chapter in chapters:
        body.append(f'<section id="{chapter.key}">\n<h2>{escape(chapter.title)}</h2>')
        items = [item for item in chapter.items
                 if not isinstance(item, (Bars, Lines)) or not item.is_empty]
        # Pictures that follow each other share a grid.
        for are_pictures, group in groupby(items, lambda item: isinstance(item, (Bars, Lines))):
            group = list(group)
            if are_pictures:
                names += [f"{chart.name}.svg" for chart in group]
                for chart in group:
                    draw.write(chart, out / f"{chart.name}.svg")
            made = "\n".join(map(_picture if are_pictures else _text, group))
            body.append(f'<div class="pictures">\n{made}\n</div>' if are_pictures else made)
        body.append("</section>")
    links = " ".join(f'<a href="#{c.key}">{escape(c.title)}</a>' for c in chapters)
    page = Template(PAGE.read_text(encoding="utf-8")).substitute(
        title=escape(title), subtitle=escape(subtitle), links=links, body="\n".join(body))
    (out / "report.html").write_text(page, encoding="utf-8")
    return names


def _text(item):
    if isinstance(item, Table):
        return _table(item)
    if item.startswith(HEADING):
        return f"<h3>{escape(item.removeprefix(HEADING))}</h3>"
    if item.startswith("```"):
        return f"<pre>{escape(item.strip('`').strip())}</pre>"
    return f"<p>{_plain(item)}</p>"


def _plain(text):
    """Escaped. A link of a document leads nowhere from here, so its text stays alone."""
    return escape(re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", str(text)).replace("`", ""))


def _table(table):
    def row(tag, cells):
        return f"<tr>{''.join(f'<{tag}>{_plain(cell)}</{tag}>' for cell in cells)}</tr>"

    note = f"<p>{_plain(table.note)}</p>\n" if table.note else ""
    rows = "\n".join(row("td", cells) for cells in table.rows)
    return (f'<div class="scrolls" role="region" tabindex="0" aria-label="{_plain(table.header[0])}'
            f'">\n<table>\n<thead>{row("th", table.header)}</thead>\n<tbody>\n{rows}\n</tbody>\n'
            f"</table>\n{note}</div>")


def _picture(chart):
    return (f'<figure>\n<img src="{escape(chart.name)}.svg" alt="{escape(chart.alt)}">\n'
            f"<figcaption>{escape(chart.caption)}</figcaption>\n</figure>")
