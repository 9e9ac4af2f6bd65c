# SPDX-License-Identifier: Apache-2.0
"""bench/results.json: what is kept of the records of whole runs. It is small enough for git, and
every table in a document comes from it.

A spread is [median, lowest, highest] over the rounds, a ratio is formed within rounds, and all have
three digits. In the file:

machines   CPU, processor as family/model or unknown, number of CPUs, memory, kernel, system
runs       started, size, command, compilers and the place of the machine of each run, and a note if
           there is something to know
libraries  name, version, compiler and flags
variants   label -> library and compiler, whose version the run of a section has
sections   name, n, the places of their runs, failures as [label, workers, reason], and rows: the
           cases, in the order of the columns. A spread of one number is a list of one.

A case of a workload has label, workers, rounds, seconds (the median: only ratios have a range), and
where they exist over_serial (by the same compiler), speedup, over_nopal: the ratio to the
variant of nopal by the same compiler that was fastest, and for the workloads of the table of memory
rss_mb and workers_rss_mb. Cases of the other sections are described where they are made.
"""

import json
import os
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from ..documents import Titled
from ..machine import identity

ROOT = Path(__file__).resolve().parents[3]
LARGEST = 150_000  # bytes


class NotMeasured(Exception):
    """The committed results lack what a table needs. The message says what."""


@dataclass(frozen=True)
class Section(Titled):
    runs: list
    failures: list
    cases: list
    cpus: int | None = None  # of the machine

    @property
    def labels(self):
        return list(dict.fromkeys(c["label"] for c in self.cases))

    def case(self, label, workers):
        """None where it was not measured."""
        return next((c for c in self.cases if (c["label"], c.get("workers")) == (label, workers)),
                    None)


def of_cases(name, cases, n=None):
    """The section of what has just been measured here."""
    return Section(name, n, [], [], cases, len(os.sched_getaffinity(0)))


class Committed:
    """The content of the file."""

    def __init__(self, content):
        self.runs = content["runs"]
        self.libraries = content["libraries"]
        self.variants = content["variants"]
        self.sections = [
            Section(**s, cpus=self.runs[s["runs"][0]]["machine"]["cpus"] if s["runs"] else None)
            for s in content["sections"]]

    @property
    def workloads(self):
        return [s for s in self.sections if s.n is not None]

    def find(self, name, n=None):
        """The first of that name that has cases; of that size if one is given. None where there is
        none."""
        return next((s for s in self.sections if s.name == name and n in (None, s.n) and s.cases),
                    None)

    def section(self, name, n=None):
        """What find() finds. Raises NotMeasured."""
        if (found := self.find(name, n)) is None:
            raise NotMeasured(f"bench/results.json has no '{name}'; ./run bench report --keep adds "
                              "what was measured")
        return found

    def library(self, label):
        return self.variants[label]["library"]

    def compiler(self, section, label):
        """With the version that its run had: g++ 12.2.0."""
        name = self.variants[label]["compiler"]
        return next((c for i in section.runs for c in self.runs[i]["compilers"]
                     if c.split()[0] == name), name)

    def run_of(self, section):
        return self.runs[section.runs[0]]

    def machine(self, section):
        """Short: AMD EPYC (25/97)."""
        cpu, processor, _ = identity(self.run_of(section)["machine"])
        return f"{cpu.replace('(R)', '').removesuffix(' Processor')} ({processor})"


def path_in(root=ROOT):
    return root / "bench" / "results.json"


def read(root=ROOT):
    return Committed(from_text(path_in(root).read_text(encoding="utf-8")))


def as_text(content):
    """JSON with a row, a run, a library or a variant on each line, so that git shows what has
    changed."""
    machines = []
    for run in content["runs"]:
        if run["machine"] not in machines:
            machines.append(run["machine"])
    runs = [run | {"machine": machines.index(run["machine"])} for run in content["runs"]]
    variants = [f"{_one(label)}:{_one(of)}" for label, of in content["variants"].items()]
    return ("{" + ",\n".join(f'"{key}":{begin}\n' + ",\n".join(lines) + f"\n{end}"
                             for key, begin, lines, end in (
        ("machines", "[", map(_one, machines), "]"),
        ("runs", "[", map(_one, runs), "]"),
        ("libraries", "[", map(_one, content["libraries"]), "]"),
        ("variants", "{", variants, "}"),
        ("sections", "[", map(_section, content["sections"]), "]"))) + "}\n")


def from_text(text):
    """The content of which as_text() has made this."""
    content = json.loads(text)
    machines = content.pop("machines")
    for run in content["runs"]:
        run["machine"] = machines[run["machine"]]
    for section in content["sections"]:
        columns, rows = section.pop("columns"), section.pop("rows")
        section["cases"] = [{key: _spread(value, 1, 3) for key, value in zip(columns, row)
                             if value is not None} for row in rows]
    return content


def _one(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _spread(value, length, other):
    """A value in which spreads of one number have another length."""
    if isinstance(value, dict):
        return {key: _spread(of, length, other) for key, of in value.items()}
    is_spread = isinstance(value, list) and len(value) == length and value.count(value[0]) == length
    return value[:1] * other if is_spread else value


def _section(section):
    count = Counter(key for case in section["cases"] for key in case)
    columns = [key for key, _ in count.most_common()]  # what most lack is last, and left out
    rows = [[_spread(case.get(key), 3, 1) for key in columns] for case in section["cases"]]
    for row in rows:
        while row and row[-1] is None:
            row.pop()
    head = {key: section[key] for key in ("name", "n", "runs", "failures")} | {"columns": columns}
    return f'{_one(head)[:-1]},"rows":[\n' + ",\n".join(map(_one, rows)) + "]}"
