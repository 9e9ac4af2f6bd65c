# SPDX-License-Identifier: Apache-2.0
"""The page: one HTML file that needs nothing beside it."""

import re
from html import escape
from pathlib import Path

from . import draw
from .contents import Heading, Picture, Table
from .libraries import COLOURS, OTHER

STYLE_SHEET = Path(__file__).with_name("page.css")


def page(title, subtitle, parts):
    """The whole document."""
    links = " ".join(f'<a href="#{part.key}">{_marked(part.title)}</a>' for part in parts)
    body = "\n".join(_part(part) for part in parts)
    return f"""<!DOCTYPE html>
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
{body}
</main>
</body>
</html>
"""


def _colours():
    """The libraries' colours as CSS variables, on white and on dark."""
    both = {f"lib-{library}": shades for library, shades in COLOURS.items()} | {"other": OTHER}
    light, dark = (" ".join(f"--{name}: {shades[index]};" for name, shades in both.items())
                   for index in (0, 1))
    return f":root {{ {light} }}\n@media (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}"


def _part(part):
    """Pictures that follow each other share a grid."""
    blocks, pictures = [], []
    for item in [*part.items, None]:
        if isinstance(item, Picture):
            pictures.append(_picture(item))
            continue
        if pictures:
            blocks.append(f'<div class="pictures">\n{"".join(pictures)}</div>')
            pictures = []
        if item is not None:
            blocks.append(_block(item))
    inner = "\n".join(blocks)
    return f'<section id="{part.key}">\n<h2>{_marked(part.title)}</h2>\n{inner}\n</section>'


def _block(item):
    if isinstance(item, Heading):
        return f"<h3>{_marked(item.text)}</h3>"
    return _table(item) if isinstance(item, Table) else _text(item)


def _marked(text):
    """Escaped text with `code`, and with T_1, P^n and their kin as papers set them."""
    pieces = escape(text).split("`")
    for index, piece in enumerate(pieces):
        if index % 2:
            pieces[index] = f"<code>{piece}</code>"
        else:
            piece = re.sub(r"\b([TSM])_([1Ps]|peer|nopal)\b", r"<i>\1</i><sub>\2</sub>", piece)
            pieces[index] = piece.replace("P^n", "<i>P</i><sup><i>n</i></sup>")
    return "".join(pieces)


def _text(item):
    return f'<p class="{item.kind}">{_marked(item.text)}</p>'


def _table(table):
    def row(tag, cells):
        def of(index):
            return "" if index < table.names else ' class="number"'
        inner = "".join(f"<{tag}{of(index)}>{_marked(str(cell))}</{tag}>"
                        for index, cell in enumerate(cells))
        return f"<tr>{inner}</tr>"

    rows = "\n".join(row("td", cells) for cells in table.rows)
    return f"""<p class="caption">{_marked(table.caption)}</p>
<div class="scrolls" role="region" tabindex="0" aria-label="{escape(table.caption)}">
<table>
<thead>{row("th", table.header)}</thead>
<tbody>
{rows}
</tbody>
</table>
</div>"""


def _picture(picture):
    svg = draw.as_svg(picture.figure, picture.name)
    described = svg.replace("<svg ", f'<svg role="img" aria-label="{escape(picture.alt)}" ', 1)
    return f"<figure>\n{described}<figcaption>{_marked(picture.caption)}</figcaption>\n</figure>\n"
