# SPDX-License-Identifier: Apache-2.0
"""From the records of runs to what bench/results.json keeps of them."""

import re

from .. import micro
from ..command_line import need_packages
from ..kept import as_list, digits, megabytes, rounded, without_none
from ..pool.figures import OF_SECTION as POOL
from ..ratios import Spread
from ..libraries import library_of
from ..machine import UNKNOWN
from ..measured import merge
from ..stacks.figures import OF_SECTION
from ..stacks.pages import of_spaces
from ..stm import figures as stm
from ..tables import SERIAL
from ..targets import MEMORY

NOPAL = "nopal"
ECHO_REFERENCE = "asio"
GROWTH = "growth"  # of memory, with more workers than CPUs
SHORT_NAMES = {"clang": "clang++"}  # of compilers


def distil(documents):
    """The content of bench/results.json, of these documents alone."""
    measured = merge(documents)
    sections = [_section(w, _cases_of(w)(w)) for w in measured]
    if grown := [w for w in measured if w.n is not None and w.oversubscribed()]:
        sections.append(_growth(grown))
    return {
        "runs": [_run(d) for d in documents],
        "libraries": _libraries(measured),
        "variants": {r["label"]: {"library": library_of(r), "compiler": _compiler(r).split()[0]}
                     for w in measured if w.n is not None for r in w.results.good},
        "sections": sections,
    }


def _cases_of(workload):
    """What makes the cases of a workload."""
    name = workload.name
    if workload.n is not None:
        return _timed_cases
    if figure := {**OF_SECTION, **POOL}.get(name):
        return lambda w: figure.cases(w.results)
    by_prefix = {"space": lambda w: of_spaces(w.results), "echo": _echo_cases, "stm": _stm_cases}
    return by_prefix.get(name.split("-")[0], lambda w: micro.cases(name, w.results))


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
    failures = [[r["label"], r["workers"], _without_folders(r["failure"])]
                for r in workload.results.failures]
    return {"name": workload.name, "n": workload.n, "runs": workload.documents,
            "failures": failures, "cases": rounded(cases)}


def _without_folders(text):
    """What people have in their folders is nobody's business: /home/me/nopal/build/x is build/x."""
    return re.sub(r"/(?:[^\s/'\"]+/)*?(?=build/)", "", text)


def _growth(workloads):
    """mb: {workers: MB}, the peak of the process. n, error: of the fit to it, where the memory
    determines n."""
    need_packages("numpy", "scipy")  # for the fit alone: tables are checked without them
    from ..growth import fit, megabytes_by_workers
    runs = sorted({r["round"][0] for w in workloads for r in w.results.good
                   if r["workers"] in w.oversubscribed()})
    cases = []
    for workload in workloads:
        above = workload.oversubscribed().keys()
        for label, sizes in megabytes_by_workers(workload.results).items():
            if not above & sizes.keys():
                continue
            found = fit(sizes)
            known = found is not None and found.error is not None
            cases.append(without_none({
                "label": f"{workload.title} {label}",
                "mb": {str(p): digits(mb) for p, mb in sorted(sizes.items())},
                "n": digits(found.n) if known else None,
                "error": digits(found.error) if known else None,
            }))
    return {"name": GROWTH, "n": None, "runs": runs, "failures": [], "cases": cases}


def _timed_cases(workload):
    """Without those of more workers than CPUs, of which the time says little."""
    results = workload.results
    labels = [label for label, _ in results.keys()]
    own = [label for label in dict.fromkeys(labels) if label.startswith(NOPAL) and "@" not in label]
    serials = [label for label in dict.fromkeys(labels) if label in (SERIAL, f"{SERIAL}-llvm")]
    above, has_memory = workload.oversubscribed(), workload.name in MEMORY
    cases = []
    for label, workers in results.keys():
        if workers in above:
            continue
        baseline = next((s for s in results.by_same_compiler(label, serials) if s != label), None)
        is_peer = not label.startswith((SERIAL, "elision", NOPAL))
        cases.append(without_none({
            "label": label, "workers": workers, "seconds": results.seconds(label, workers).median,
            "rounds": len(results.by_round(label, workers)),
            "over_serial": baseline and as_list(results.ratio((label, workers), (baseline, 1))),
            "speedup": as_list(results.ratio((label, 1), (label, workers)))
            if workers > 1 and label in own else None,
            "over_nopal": _over_nopal(results, label, workers, own) if is_peer else None,
            "rss_mb": megabytes(results.peak_rss(label, workers)) if has_memory else None,
            "workers_rss_mb": megabytes(results.rss_of_workers(label, workers)) if has_memory
            else None,
        }))
    return cases


def _over_nopal(results, peer, workers, own):
    """nopal's fastest variant by the peer's compiler, and the peer's time over its."""
    times = {label: results.seconds(label, workers)
             for label in results.by_same_compiler(peer, own)}
    measured = [label for label, spread in times.items() if spread is not None]
    if not measured:
        return None
    best = min(measured, key=lambda label: times[label].median)
    ratio = as_list(results.ratio((peer, workers), (best, workers)))
    return ratio and [best, *ratio]


def _echo_cases(workload):
    """requests: a second; over_reference: of those of Boost.Asio; p99_us, cpu_us and rss_mb:
    latency, the server's CPU time for a request, its memory."""
    results, cases = workload.results, []
    for label, threads in results.keys():
        records = results.records(label, threads)

        def of(value, records=records):
            return Spread.of(value(r) for r in records)

        cases.append(without_none({
            "label": label, "workers": threads, "rounds": len(results.by_round(label, threads)),
            "requests": as_list(of(lambda r: r["requests_per_second"])),
            "over_reference": as_list(results.ratio((ECHO_REFERENCE, threads), (label, threads))),
            "p99_us": digits(of(lambda r: r["microseconds"]["p99"]).median),
            "cpu_us": digits(of(lambda r: 1e6 * r["server_cpu_seconds"] / r["requests"]).median),
            "rss_mb": digits(of(lambda r: r["server_rss_bytes"] / 1e6).median),
        }))
    return cases


def _stm_cases(workload):
    return [{key: value for key, value in case.items() if key not in stm.NOT_KEPT}
            for case in stm.cases(workload.name, workload.results)]


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
