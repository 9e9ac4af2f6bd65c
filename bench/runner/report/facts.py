# SPDX-License-Identifier: Apache-2.0
"""Where, when and with what was measured; what is absent, and why."""

from .contents import Part, Table, Text
from .libraries import BASELINE, library_of, order
from .measured import build_of

MACHINE = {"cpu": "CPU", "cpus": "number of CPUs", "memory": "memory", "kernel": "kernel",
           "system": "system"}


def part(measured):
    return Part("facts", "What was measured",
                [*_machine(measured), *_several_builds(measured), _runs(measured),
                                               _libraries(measured), _absent(measured)])


def _machine(measured):
    """The machine in a line, and a warning for whatever is not the same in all files."""
    m = measured.documents[0].machine
    virtual = " (virtual)" if m.get("hypervisor") else ""
    governor = f", governor {m['governor']}" if m.get("governor") else ""
    yield Text(f"{m.get('cpu')}, {m.get('cpus')} CPUs{virtual}, {m.get('memory')}{governor}; "
               f"{m.get('system')}, "
               f"{m.get('kernel')}.")
    for key, name in MACHINE.items():
        values = list(dict.fromkeys(str(d.machine.get(key)) for d in measured.documents))
        if len(values) > 1:
            yield Text(f"The {name} is not the same in all files: {', '.join(values)}. Ratios are "
                       "formed within each "
                       "file; times and memory stand side by side all the same.", "warning")


def _several_builds(measured):
    if any(w.other_builds for w in measured.workloads):
        deque, join = measured.build
        yield Text("nopal was measured in several builds. All of the report but what compares "
                   f"joins and deques is about deque `{deque}`, join `{join}`.")


def _runs(measured):
    rows = []
    for d in sorted(measured.documents, key=lambda d: d.started):
        load = " ".join(f"{x:.1f}" for x in d.machine.get("load_average", []))
        rows.append([_date(d.started), d.size or "–", load or "–", d.name,
                     " ".join(s.title for s in d.sections)])
    header = ["date", "size", "load at start", "file", "measured"]
    return Table("The runs that this report is made of", header, rows, names=len(header))


def _date(started):
    """2026-11-22T02:12:42+0000 -> 2026-11-22 02:12 +0000"""
    return f"{started[:10]} {started[11:16]} {started[19:]}".strip()


def _libraries(measured):
    rows = set()
    for r in measured.all_records():
        if "build" in r and build_of(r) in (None, measured.build):
            library = library_of(r)
            peer = r.get("peer", {})
            version = "–" if library == BASELINE else peer.get("version") or "–"
            rows.add((library, version, r["build"]["compiler"], r["build"]["flags"]))
    header = ["library", "version", "compiler", "flags"]
    return Table("Libraries, and what they were compiled with", header,
                 [list(row) for row in sorted(rows, key=lambda row: (order(row[0]), row))],
                 names=len(header))


def _absent(measured):
    """Libraries that were not there, and measurements that failed, each with the files that say
    so."""
    files = {}
    for d in measured.documents:
        for what, why in d.absent.items():
            files.setdefault((what, why), []).append(d.name)
        for section in d.sections:
            for r in section.records:
                if "failure" in r:
                    files.setdefault((f"{section.title} {r['label']}, P = {r['workers']}",
                                      r["failure"]), []).append(d.name)
    if not files:
        return Text("Nothing was left out, and nothing failed.")
    rows = [[what, why, _one_or_many(dict.fromkeys(names))] for (what, why), names in files.items()]
    return Table("What is absent, and why", ["what", "why", "file"], rows, names=3)


def _one_or_many(names):
    return next(iter(names)) if len(names) == 1 else f"{len(names)} files"
