# SPDX-License-Identifier: Apache-2.0
"""bench/results.json: what is kept of the records of whole runs. It is small enough for git, and
every table in a document comes from it.

A spread is [median, lowest, highest] over the rounds, a ratio is formed within rounds, and all have
three digits.

runs       started, size, command and machine of each run, and a note if there is something to know
libraries  name, version, compiler and flags
variants   label -> library and compiler
sections   name, n, the indices of their runs, failures as [label, workers, reason], and cases

A case of a workload has label, workers, rounds, seconds, rss_mb and workers_rss_mb, and where they
exist over_serial (by the same compiler), speedup, and over_nopal: the variant of nopal by the same
compiler that was fastest, and the ratio to it. Cases of the other sections are described where
distil.py makes them.
"""

import json
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
LARGEST = 400_000  # bytes


class NotMeasured(Exception):
    """The committed results lack what a table needs. The message says what."""


@dataclass(frozen=True)
class Section:
    name: str
    n: int | None
    runs: list
    failures: list
    cases: list

    @property
    def title(self):
        return self.name if self.n is None else f"{self.name}({self.n})"

    @property
    def labels(self):
        return list(dict.fromkeys(c["label"] for c in self.cases))

    def case(self, label, workers):
        """None where it was not measured."""
        return next((c for c in self.cases if (c["label"], c.get("workers")) == (label, workers)),
                    None)


class Committed:
    """The content of the file."""

    def __init__(self, content):
        self.runs = content["runs"]
        self.libraries = content["libraries"]
        self.variants = content["variants"]
        self.sections = [Section(**s) for s in content["sections"]]

    @property
    def workloads(self):
        return [s for s in self.sections if s.n is not None]

    def section(self, name, n=None):
        """The first of that name; of that size if one is given."""
        for s in self.sections:
            if s.name == name and n in (None, s.n):
                return s
        raise NotMeasured(f"bench/results.json has no '{name}'; ./run bench report --keep adds "
                          "what was measured")

    def library(self, label):
        return self.variants[label]["library"]

    def compiler(self, label):
        """With its version: g++ 12.2.0."""
        return self.variants[label]["compiler"]

    def run_of(self, section):
        return self.runs[section.runs[0]]


def path_in(root=ROOT):
    return root / "bench" / "results.json"


def read(root=ROOT):
    return Committed(json.loads(path_in(root).read_text(encoding="utf-8")))


def as_text(content):
    """JSON with a case, a run, a library or a variant on each line, so that git shows what has
    changed."""
    def one(value):
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

    parts = [f' "{key}": [\n  ' + ",\n  ".join(map(one, content[key]))
             + "\n ]" for key in ("runs", "libraries")]
    variants = ",\n  ".join(f"{one(name)}: {one(v)}" for name, v in content["variants"].items())
    parts.append(f' "variants": {{\n  {variants}\n }}')
    sections = []
    for section in content["sections"]:
        head = ", ".join(f"{one(key)}: {one(value)}"
                         for key, value in section.items() if key != "cases")
        sections.append(f'  {{{head}, "cases": [\n   ' + ",\n   ".join(map(one, section["cases"]))
                        + "\n  ]}")
    parts.append(' "sections": [\n' + ",\n".join(sections) + "\n ]")
    return "{\n" + ",\n".join(parts) + "\n}\n"
