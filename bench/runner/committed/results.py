# SPDX-License-Identifier: Apache-2.0
"""bench/results.json: what is kept of the records of whole runs. It is small enough for git, and
every table in a document comes from it.

A spread is [median, lowest, highest] over the rounds, a ratio is formed within rounds, and all have
three digits. In the file:

machines   CPU, processor (family/model, or unknown), number of CPUs, memory, kernel, system
runs       machine (its place), started, size, command and compilers of each run, and a note if
           there is something to know
libraries  name, version, compiler and flags
variants   label -> library and compiler, whose version the run of a section has
sections   name, n, the places of their runs, failures as [label, workers, reason], and rows. A row
           is a label and what was measured with each number of workers, in the order of the
           columns. A column with ± is of spreads: one number where all three are the same; rounds
           is no column where all have as many. nopal says which variant `over_nopal` is over:
           "2 g++" of peers by g++ with two workers.

A case of a workload has label, workers, rounds, seconds (the median: only ratios have a range), and
where they exist over_serial (by the same compiler), speedup, over_nopal: the variant of nopal by
the same compiler that was fastest, and the ratio to it, and for the workloads of the table of
memory rss_mb and workers_rss_mb. Cases of the other sections are described where they are made.
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
SPREAD = " ±"


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


def of_cases(name, cases):
    """The section of what has just been measured here."""
    return Section(name, None, [], [], cases, len(os.sched_getaffinity(0)))


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
        machines += [run["machine"]] if run["machine"] not in machines else []
    runs = [{**run, "machine": machines.index(run["machine"])} for run in content["runs"]]
    parts = [f' "{key}": [\n  ' + ",\n  ".join(map(_one, values)) + "\n ]"
             for key, values in (("machines", machines), ("runs", runs),
                                 ("libraries", content["libraries"]))]
    variants = ",\n  ".join(f"{_one(name)}: {_one([v['library'], v['compiler']])}"
                            for name, v in content["variants"].items())
    parts.append(f' "variants": {{\n  {variants}\n }}')
    sections = []
    for section in content["sections"]:
        head, rows = _as_rows(section, content["variants"])
        head = ", ".join(f"{_one(key)}: {_one(value)}" for key, value in head.items())
        sections.append(f'  {{{head}, "rows": [\n   ' + ",\n   ".join(map(_one, rows)) + "\n  ]}")
    parts.append(' "sections": [\n' + ",\n".join(sections) + "\n ]")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def from_text(text):
    """The content of which as_text() has made this."""
    content = json.loads(text)
    machines = content.pop("machines")
    variants = {label: {"library": library, "compiler": compiler}
                for label, (library, compiler) in content["variants"].items()}
    return {**content, "variants": variants,
            "runs": [{**run, "machine": machines[run["machine"]]} for run in content["runs"]],
            "sections": [_as_cases(s, variants) for s in content["sections"]]}


def _one(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _is_spread(value):
    return isinstance(value, list) and len(value) == 3 and not isinstance(value[0], str)


def _short(value):
    """Without .0, which JSON need not have."""
    if isinstance(value, list):
        return [_short(of) for of in value]
    return int(value) if isinstance(value, float) and value == int(value) else value


def _beside(case, variants):
    return f"{case['workers']} {variants[case['label']]['compiler']}"


def _as_rows(section, variants):
    """The head of a section, and its rows."""
    flat, nopal = [], {}
    labels = list(dict.fromkeys(case["label"] for case in section["cases"]))
    for case in sorted(section["cases"], key=lambda case: labels.index(case["label"])):
        flat.append({})
        for key, value in case.items():
            if key == "over_nopal":
                known = nopal.setdefault(_beside(case, variants), value[0])
                assert known == value[0], f"{section['name']}: {case} is over another than {known}"
                value = value[1:]
            flat[-1].update({f"{key}.{of}": v for of, v in value.items()}
                            if isinstance(value, dict) else {key: value})
    rounds = {case.get("rounds") for case in flat}
    count = Counter(key for case in flat for key, value in case.items()
                    if value is not None and (key != "rounds" or len(rounds) > 1))
    columns = sorted((key for key in count if key not in ("label", "workers")),
                     key=lambda key: -count[key])
    spreads = [all(_is_spread(case[key]) for case in flat if case.get(key) is not None)
               for key in columns]
    rows = {}
    for case in flat:
        cells = [_short(case.get(key)) for key in columns]
        cells = [cell[0] if is_spread and cell and cell[0] == cell[1] == cell[2] else cell
                 for cell, is_spread in zip(cells, spreads)]
        while cells and cells[-1] is None:
            cells.pop()
        rows.setdefault(case["label"], []).append([case.get("workers"), *cells])
    head = {key: section[key] for key in ("name", "n", "runs", "failures")}
    head |= {"nopal": nopal} if nopal else {}
    head |= {"rounds": rounds.pop()} if len(rounds) == 1 and None not in rounds else {}
    head["columns"] = [f"{key}{SPREAD * is_spread}" for key, is_spread in zip(columns, spreads)]
    return head, [[label, *cells] for label, cells in rows.items()]


def _as_cases(section, variants):
    """A section as _as_rows() took it, but without what was None or had nothing in it."""
    nopal, cases = section.pop("nopal", {}), []
    rounds = {"rounds": section.pop("rounds")} if "rounds" in section else {}
    columns = section.pop("columns")
    for label, *of_workers in section.pop("rows"):
        for workers, *cells in of_workers:
            case = {"label": label, **({} if workers is None else {"workers": workers}), **rounds}
            for column, cell in zip(columns, cells):
                key, _, of = column.removesuffix(SPREAD).partition(".")
                if cell is None:
                    continue
                if column.endswith(SPREAD) and not isinstance(cell, list):
                    cell = [cell, cell, cell]
                if key == "over_nopal":
                    cell = [nopal[_beside(case, variants)], *cell]
                if of:
                    case.setdefault(key, {})[of] = cell
                else:
                    case[key] = cell
            cases.append(case)
    return {**section, "cases": cases}
