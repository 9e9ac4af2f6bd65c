# SPDX-License-Identifier: Apache-2.0
"""The records of several files as one measurement."""

import re
from dataclasses import dataclass, field
from functools import cached_property

from ..documents import titled
from ..ratios import Results
from ..stacks.figure import PREFIX as STACKS
from .libraries import BASELINE, NOPAL, library_of, order


def as_name(text):
    """As part of a file's name, and of an id."""
    return re.sub(r"[^\w-]", "_", text)


@dataclass
class Workload:
    """All records of one section, of however many files."""

    name: str
    n: int | None
    records: list = field(default_factory=list)
    # of nopal with another deque or join than the report is about
    other_builds: list = field(default_factory=list)

    @property
    def title(self):
        return titled(self.name, self.n)

    @property
    def slug(self):
        return as_name(self.name if self.n is None else f"{self.name}-{self.n}")

    @cached_property
    def results(self):
        return Results(self.records)

    def labels(self, library=None):
        """Labels of a library, or of all but the baseline: nopal first. A label with '@' is another
        problem size."""
        found = {r["label"]: library_of(r) for r in self.results.good if "@" not in r["label"]}
        wanted = [label
                  for label, of in found.items() if (of == library if library else of != BASELINE)]
        return sorted(wanted, key=lambda label: order(found[label]))

    def library(self, label):
        return next(library_of(r) for r in self.results.good if r["label"] == label)

    def workers(self):
        return sorted({r["workers"] for r in self.results.good})

    def oversubscribed(self):
        """Numbers of workers -> the CPUs of the machine, where those were fewer."""
        return {r["workers"]: r["cpus"] for r in self.results.good
                if r["cpus"] is not None and r["workers"] > r["cpus"]}


@dataclass
class Measured:
    """Everything that a report is made of."""

    documents: list
    workloads: list  # with a size: what is compared
    space: Workload | None
    echo: Workload | None
    pool: dict  # section, such as pool-ratios -> its records
    stm: dict  # section, such as stm-yada -> its records
    stacks: dict  # section, such as stacks-pages -> its records
    micros: list
    build: tuple | None  # nopal's (deque, join)

    def all_records(self):
        return [r
                for w in [*self.workloads, *filter(None, (self.space,)),
                          *self.pool.values(), *self.stm.values(), *self.stacks.values(),
                          *self.micros]
                for r in [*w.records, *w.other_builds]]

    def workers(self):
        return sorted({p for w in self.workloads for p in w.workers()})


def build_of(record):
    """(deque, join) of a record of nopal, None of any other."""
    peer = record.get("peer", {})
    if library_of(record) != NOPAL or "join" not in peer:
        return None
    return peer.get("deque"), peer["join"]


def merge(documents):
    """Joins sections of the same name and size. Rounds of different files stay different rounds: no
    ratio across files.

    The first build of nopal that is met is the one that the report is about; run_bench.py's files
    come before those of run_variants.py, which measures many. Figures of stacks compare builds
    themselves.
    """
    ordered = sorted(documents, key=lambda d: d.path.name != "results.json")
    found, main = {}, None
    for index, document in enumerate(ordered):
        for section in document.sections:
            workload = found.setdefault((section.name, section.n),
                                        Workload(section.name, section.n))
            for record in section.records:
                record = {**record, "round": (index, record["round"]),
                          "label": _label(section, record),
                          "cpus": document.machine.get("cpus")}
                build = build_of(record)
                main = main or build
                is_ours = build in (None, main) or section.name.startswith(STACKS)
                (workload.records if is_ours else workload.other_builds).append(record)
    workloads = list(found.values())
    named = {w.name: w for w in workloads if w.n is None}
    pool = {name: named.pop(name) for name in list(named) if name.startswith("pool-")}
    stm = {name: named.pop(name) for name in list(named) if name.startswith("stm-")}
    stacks = {name: named.pop(name) for name in list(named) if name.startswith(STACKS)}
    return Measured(documents, [w for w in workloads if w.n is not None],
                    named.pop("space", None), named.pop("echo", None), pool, stm, stacks,
                    list(named.values()), main)


def _label(section, record):
    """As the record has it, but for two things.

    run_variants.py's labels begin with the deque and the join; here the build says those. Those of
    space and stacks begin with the workload, and most lack its size, which need not be the same in
    all files.
    """
    build = build_of(record)
    by_workload = section.name == "space" or section.name.startswith(STACKS)
    if by_workload and "n" in record:
        return record["label"].replace(f"{record['workload']} ",
                                       f"{titled(record['workload'], record['n'])} ", 1)
    if build is not None and "variant" in record:
        if record["label"].startswith(f"{build[0]}-{build[1]} "):
            return record["variant"]
    return record["label"]
