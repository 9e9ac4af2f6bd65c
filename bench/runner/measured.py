# SPDX-License-Identifier: Apache-2.0
"""The records of several files as one measurement."""

import re
from dataclasses import dataclass, field
from functools import cached_property

from .documents import Titled, Unreadable, titled
from .libraries import NOPAL, library_of
from .machine import identity
from .ratios import Results
from .stacks.figure import PREFIX as STACKS


@dataclass(frozen=True)
class Workload(Titled):
    """All records of one section, of however many files."""

    records: list = field(default_factory=list)
    documents: list = field(default_factory=list)  # the numbers of their files

    @cached_property
    def results(self):
        return Results(self.records)

    def oversubscribed(self):
        """Numbers of workers -> the CPUs of the machine, where those were fewer."""
        return {r["workers"]: r["cpus"] for r in self.results.good
                if r["cpus"] is not None and r["workers"] > r["cpus"]}


def merge(documents):
    """Joins sections of the same name and size. Rounds of different files stay different rounds: no
    ratio across files.

    Raises Unreadable if a section would be of several machines, of several versions of a compiler,
    or of several builds of nopal; figures of stacks compare builds themselves.
    """
    found = {}
    for index, document in enumerate(documents):
        for section in document.sections:
            workload = found.setdefault((section.name, section.n),
                                        Workload(section.name, section.n))
            workload.documents.append(index)
            workload.records.extend({**record, "round": (index, record["round"]),
                                     "label": _label(section, record),
                                     "cpus": document.machine.get("cpus")}
                                    for record in section.records)
    for workload in found.values():
        _check_is_one(workload, documents)
    return list(found.values())


def _check_is_one(workload, documents):
    versions = {}
    for record in workload.records:
        if "build" in record:
            compiler = record["build"]["compiler"].split()[0]
            versions.setdefault(compiler, set()).add(record["build"]["compiler"])
    builds = {(r["peer"].get("deque"), r["peer"]["join"]) for r in workload.records
              if library_of(r) == NOPAL and "join" in r.get("peer", {})}
    for what, several in (
            ("machines", {identity(documents[index].machine) for index in workload.documents}),
            *((f"versions of {compiler}", of) for compiler, of in versions.items()),
            ("builds of nopal", set() if workload.name.startswith(STACKS) else builds)):
        if len(several) > 1:
            raise Unreadable(f"{workload.title} was measured on several {what}, so its records are "
                             f"not one measurement: {'; '.join(sorted(map(str, several)))}")


def _label(section, record):
    """As the record has it; those of space and stacks begin with the workload, and most lack its
    size, which need not be the same in all files."""
    by_workload = section.name == "space" or section.name.startswith(STACKS)
    if by_workload and "n" in record:
        return re.sub(rf"^{record['workload']}(?=[ @])",
                      titled(record["workload"], record["n"]), record["label"])
    return record["label"]
