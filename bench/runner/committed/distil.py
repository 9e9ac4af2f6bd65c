# SPDX-License-Identifier: Apache-2.0
"""From the records of runs to what bench/results.json keeps of them."""

import re

from .. import echo, memory, micro, workloads
from ..algorithm import figures as algorithm
from ..pool.figures import OF_SECTION as POOL
from ..libraries import library_of
from ..machine import UNKNOWN
from ..measured import merge
from ..ratios import rounded
from ..stacks.figures import OF_SECTION
from ..stacks.pages import of_spaces
from ..stm import figures as stm
from ..tables import middle

# What only a run shows.
NOT_KEPT = ("conflicts", "cpu_seconds", "peak_mb", "over_short_mb", "rss_over_peer", "over_bound",
            "over_paper", "over_one", "over_table")
SHORT_NAMES = {"clang": "clang++"}  # of compilers


def distil(documents):
    """The content of bench/results.json, of these documents alone."""
    measured = merge(documents)
    sections = [_section(w, cases_of(w)) for w in measured]
    if grown := [w for w in measured if w.n is not None and w.oversubscribed()]:
        runs = sorted({r["round"][0] for w in grown for r in w.results.good
                       if r["workers"] in w.oversubscribed()})
        sections.append({"name": memory.SECTION, "n": None, "runs": runs, "failures": [],
                         "cases": memory.cases(grown)})
    return {
        "runs": [_run(d) for d in documents],
        "libraries": _libraries(measured),
        "variants": {r["label"]: {"library": library_of(r), "compiler": _compiler(r).split()[0]}
                     for w in measured if w.n is not None for r in w.results.good},
        "sections": sections,
    }


def cases_of(workload):
    """What there is to say of a section, before it is rounded."""
    name, results = workload.name, workload.results
    if workload.n is not None:
        return workloads.cases(workload)
    if name.startswith(stm.PREFIX):
        return stm.cases(name, results)
    if name.startswith(algorithm.PREFIX):
        return algorithm.cases(results)
    of_section = {"space": of_spaces, "echo": echo.cases,
                  **{s: figure.cases for s, figure in {**OF_SECTION, **POOL}.items()}}
    return of_section[name](results) if name in of_section else micro.cases(name, results)


def replace(before, after):
    """`before`, with the sections that `after` has in their places or behind, and what belongs to
    them."""
    keys = {(s["name"], s["n"]) for s in after["sections"]}
    kept = [s for s in before["sections"] if (s["name"], s["n"]) not in keys]
    used = sorted({index for s in kept for index in s["runs"]})
    places = {old: new for new, old in enumerate(used)}
    moved = [{**s, "runs": [places[i] for i in s["runs"]]} for s in kept]
    moved += [{**s, "runs": [i + len(used) for i in s["runs"]]} for s in after["sections"]]
    by_place = {(s["name"], s["n"]): index for index, s in enumerate(before["sections"])}
    moved.sort(key=lambda s: by_place.get((s["name"], s["n"]), len(by_place)))
    libraries = {(x["name"], x["compiler"].split()[0]): x
                 for x in [*before["libraries"], *after["libraries"]]}
    return {
        "runs": [before["runs"][i] for i in used] + after["runs"],
        "libraries": list(libraries.values()),
        "variants": before["variants"] | after["variants"],
        "sections": moved,
    }


def _run(document):
    m = document.machine
    machine = {key: m.get(key) for key in ("cpu", "processor", "cpus", "hypervisor", "memory",
                                           "kernel", "system")}
    machine["processor"] = machine["processor"] or UNKNOWN
    machine["kernel"] = re.sub(r"(\d+\.\d+)\S*", r"\1", machine["kernel"] or "")
    compilers = dict.fromkeys(_compiler(r) for s in document.sections for r in s.records
                              if "build" in r)
    return {"started": document.started, "size": document.size, "command": document.command,
            "machine": machine, "compilers": list(compilers)}


def _section(workload, cases):
    """Of times with more workers than CPUs, which say little, nothing is kept, and of others the
    medians: only ratios have a range."""
    above, not_kept = (), NOT_KEPT
    if workload.n is not None:
        above = workload.oversubscribed()
        cases = [{**case, "seconds": middle(case["seconds"])} for case in cases]
        not_kept += () if workload.name in workloads.MEMORY else ("rss_mb", "workers_rss_mb")
    failures = [[r["label"], r["workers"], _without_folders(r["failure"])]
                for r in workload.results.failures]
    return {"name": workload.name, "n": workload.n, "runs": workload.documents,
            "failures": failures,
            "cases": [rounded({key: value for key, value in case.items() if key not in not_kept})
                      for case in cases if case.get("workers") not in above]}


def _without_folders(text):
    """What people have in their folders is nobody's business: /home/me/nopal/build/x is build/x."""
    return re.sub(r"/(?:[^\s/'\"]+/)*?(?=build/)", "", text)


def _compiler(record):
    """g++ 12.2.0, clang++ 19.1.7, rustc 1.95.0."""
    name, version = record["build"]["compiler"].split()[:2]
    return f"{SHORT_NAMES.get(name, name)} {version}"


def _libraries(measured):
    found = {}
    for r in (r for w in measured for r in w.records):
        if "build" in r:
            key = (library_of(r), _compiler(r))
            version = r.get("peer", {}).get("version") or "–"
            found.setdefault(key, {"name": key[0], "version": version, "compiler": key[1],
                                   "flags": r["build"]["flags"]})
    return list(found.values())
