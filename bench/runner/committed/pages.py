# SPDX-License-Identifier: Apache-2.0
"""The documents: a table stands between a marker that names it and the next end.

<!-- results: fork cost -->
| … |
<!-- end -->
"""

import re
from difflib import ndiff

from .results import ROOT, NotMeasured

BEGIN, END = "<!-- results:", "<!-- end -->"
_MARKED = re.compile(rf"^{BEGIN} (?P<name>[^>\n]*?) -->\n(?P<body>(?:(?!<!--).*\n)*?){END}$",
                     re.MULTILINE)


class Wrong(Exception):
    """A marker that cannot be filled in. The message says which, and what is allowed."""


def documents(root=ROOT):
    """Every document that people read on its own."""
    return sorted([*root.glob("*.md"), *(root / "docs").rglob("*.md"),
                   *(root / "bench").glob("*.md")])


def without_tables(text):
    """What people have written: lines between markers are empty."""
    return _MARKED.sub(lambda found: "\n" * found[0].count("\n"), text)


def _filled(path, tables, committed, root):
    """The old text of a document, and that with every table as the results give it. Raises Wrong,
    NotMeasured."""
    name, text = path.relative_to(root), path.read_text("utf-8")
    for number, line in enumerate(without_tables(text).splitlines(), 1):
        if line.startswith((BEGIN, END)):
            raise Wrong(f"{name}: line {number}: '{line}' has no partner: a table begins with "
                        f"'{BEGIN} NAME -->' and ends with '{END}', each on a line of its own")

    def table(found):
        if found["name"] not in tables:
            number = text[:found.start()].count("\n") + 1
            raise Wrong(f"{name}: line {number}: no table '{found['name']}'; there are: "
                        f"{', '.join(tables)}")
        try:
            return f"{BEGIN} {found['name']} -->\n{tables[found['name']](committed)}{END}"
        except NotMeasured as error:
            raise NotMeasured(f"{name}: {error}") from None

    return text, _MARKED.sub(table, text)


def write(tables, committed, root=ROOT):
    """Writes every table of every document. Returns the names of the documents that changed."""
    texts = {path: _filled(path, tables, committed, root) for path in documents(root)}
    changed = {path: new for path, (old, new) in texts.items() if old != new}
    for path, new in changed.items():
        path.write_text(new, encoding="utf-8")
    return [str(path.relative_to(root)) for path in changed]


def differences(tables, committed, root=ROOT):
    """What a document says otherwise than the results, or cannot say: a line for each."""
    found = []
    for path in documents(root):
        try:
            old, new = _filled(path, tables, committed, root)
        except (Wrong, NotMeasured) as error:
            found.append(str(error))
            continue
        if old != new:
            changed = [line for line in ndiff(old.splitlines(), new.splitlines())
                       if line[0] in "-+"]
            found.append("\n".join([f"{path.relative_to(root)}: its tables are not those of "
                                    "bench/results.json; ./run bench report writes them",
                                    *changed]))
    return found
