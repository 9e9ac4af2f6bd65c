# SPDX-License-Identifier: Apache-2.0
"""What no document may have: a measured figure that no command wrote there, and a link that leads
nowhere."""

import re

from .pages import documents, without_tables
from .results import ROOT

# A number with a unit of time or memory, or a share, or how many times as much; a range of decimal
# numbers.
_WITH_UNIT = re.compile(r"\d[\d.,^]*\s?(?:(?:ns|µs|ms|s|kB|MB|GB|"
                        r"times (?:as|the|that|of|faster|slower))\b|%)"
                        r"|\d\.\d+ ?\.\. ?\d")
_DECIMAL = re.compile(r"(?<![\w.-])\d+\.\d+(?![\w.])")  # in a table, where a ratio has no unit
_REFERENCE = re.compile(r"(?:figures?|sections?|eq\.|page|theorem)(?: ?\d[\w.]*(?:,| and| to)?)+")
# Document -> what looks like a measured figure and is a constant, a version or a reference. What
# stands here must be there.
NOT_MEASURED = {
    "README.md": ("2.0 or later", "(3.25)"),
    "bench/README.md": ("2 %", "8 MB", "95 %"),
    "docs/mpi.md": ("50 µs", "8 ms", "20 µs", "(30 s)", "2 GB"),
    "docs/scheduler.md": ("10 µs", "1 µs", "2 µs", "64 µs", "1.65 times"),
}


def written_lines(text):
    """(number, line) of all but the tables that were generated, and examples of code."""
    in_code = False
    for number, line in enumerate(without_tables(text).splitlines(), 1):
        if line.lstrip().startswith("```"):
            in_code = not in_code
        elif not in_code:
            yield number, line


def figures(text, not_measured=()):
    """(number, line) of what holds a measured figure."""
    for number, line in written_lines(text):
        rest = line
        for phrase in not_measured:
            rest = rest.replace(phrase, "")
        rest = _REFERENCE.sub("", rest)
        if _WITH_UNIT.search(rest) or rest.startswith("|") and _DECIMAL.search(rest):
            yield number, line


def stray_figures(root=ROOT, not_measured=None):
    """A line for each figure outside the generated tables, and for each exception that is not
    needed."""
    not_measured = NOT_MEASURED if not_measured is None else not_measured
    found = []
    for path in documents(root):
        name, text = str(path.relative_to(root)), path.read_text(encoding="utf-8")
        exceptions = not_measured.get(name, ())
        found += [f"{name}:{number}: a measured figure outside the generated tables: {line.strip()}"
                  for number, line in figures(text, exceptions)]
        found += [f"checks.py: '{phrase}' is not in {name} any more"
                  for phrase in exceptions if phrase not in text]
    return found


def broken_links(root=ROOT):
    """A line for each link within the tree whose file or heading is not there."""
    found = []
    for path in documents(root):
        text = path.read_text(encoding="utf-8")
        for link in re.findall(r"\]\(([^)\s]+)\)", _without_code(text)):
            if re.match(r"\w+:", link):
                continue
            target, _, heading = link.partition("#")
            file = (path.parent / target).resolve() if target else path
            if not file.exists() or heading and heading not in _anchors(file.read_text("utf-8")):
                found.append(f"{path.relative_to(root)}: the link to {link} leads nowhere")
    return found


def _without_code(text):
    """Code may have brackets before parentheses."""
    return re.sub(r"`[^`\n]*`", "", "\n".join(line for _, line in written_lines(text)))


def _anchors(text):
    """The headings as GitHub makes anchors of them."""
    headings = [line.lstrip("#").strip()
                for _, line in written_lines(text) if re.match(r"#+ ", line)]
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
