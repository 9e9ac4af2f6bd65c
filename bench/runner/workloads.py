# SPDX-License-Identifier: Apache-2.0
"""Workloads: nopal alone and beside its peers, what a fork costs and what a spawned function."""

from statistics import geometric_mean

from .charts import Bars, Lines
from .libraries import NOPAL, order
from .ratios import megabytes, without_none
from .tables import (
    Table, as_name, machine_name, nested, number, scatter, spread, with_machines, wrapped)

MEMORY = ("fib", "uts_binomial")  # is kept of these
WORKERS = (1, 2)  # of the documents' tables
FORK_ENDS = {"invoke": "`parallel_invoke`", "frame": "`fork_frame`", "task": "`task`"}
FEWEST_SIZES = 3  # of a line
CLEARLY = 1.03  # by how many times nopal takes longer where a loss is listed
# The short table has these.
PEERS = {"rayon": "Rayon, `join`", "libfork": "libfork", "oneTBB": "oneTBB, `parallel_invoke`"}


def cases(workload):
    """rss_mb, workers_rss_mb: peak of the process, and beyond what it had before workers. For
    targets over_short_mb, beyond the memory of a loop of a hundredth, and rss_over_peer, what
    workers take over the least that those of a peer take."""
    results, cases = workload.results, []
    for label, workers in results.keys():
        serials = results.by_same_compiler(label, results.serials)
        baseline = next((s for s in serials if s != label), None)
        nopal = results.best(results.by_same_compiler(label, results.own), workers)
        rss, short = (results.peak_rss(of, workers) for of in (label, f"{label}@n/100"))
        of_workers = results.rss_of_workers(label, workers)
        least = min((peer for label in results.peers
                     if (peer := results.rss_of_workers(label, workers))), default=None)
        cases.append(without_none({
            "label": label, "workers": workers, "seconds": results.seconds(label, workers),
            "rounds": len(results.by_round(label, workers)),
            "over_serial": baseline and results.ratio((label, workers), (baseline, 1)),
            "speedup": results.ratio((label, 1), (label, workers))
            if workers > 1 and label in results.own else None,
            "over_nopal": results.ratio((label, workers), (nopal, workers))
            if label in results.peers else None,
            "rss_mb": megabytes(rss), "workers_rss_mb": megabytes(of_workers),
            "over_short_mb": short and (rss - short) / 1e6,
            "rss_over_peer": of_workers and least and of_workers / least}))
    return cases


def table(section):
    """All variants of a workload, and how nopal compares."""
    return Table(
        ["variant", "P", "seconds, median (min..max)", "over serial", "T_1/T_P", "over nopal",
         "peak RSS, MB", "of that the workers', MB", "rounds"],
        [[c["label"], c["workers"], spread(c["seconds"]),
          *(spread(c.get(key)) for key in ("over_serial", "speedup", "over_nopal")),
          *(number(c.get(key)) for key in ("rss_mb", "workers_rss_mb")), c["rounds"]]
         for c in section.cases])


# --- what a fork costs: fib, which does nothing but call, over the serial program


def fastest(committed, section, library, workers=1, compiler=None):
    """Of several ways to use a library the one that took the least time, by that compiler if one is
    given. None where there is none."""
    cases = [c for c in section.cases if committed.library(c["label"]) == library
             and c["workers"] == workers and "@" not in c["label"]
             and compiler in (None, committed.compiler(section, c["label"]))]
    return min(cases, key=lambda c: c["seconds"], default=None)


def ns_a_fork(section, case):
    """What a fork of fib adds to the serial program, nanoseconds: as a ratio it depends on how fast
    the compiler's calls are. A call forks unless it is a leaf, fib(n + 1) - 1 times in all."""
    if "over_serial" not in case:
        return None
    leaves, before = 1, 0
    for _ in range(section.n):
        leaves, before = leaves + before, leaves
    serial = case["seconds"] / case["over_serial"][0]
    return [(ratio - 1) * serial / (leaves - 1) * 1e9 for ratio in case["over_serial"]]


def _forks(committed, peers, note=""):
    """nopal by both compilers, and peers: pairs of a label and its name."""
    section = committed.section("fib")
    own = [(f"{NOPAL}{by}-{key}", f"nopal, {name}") for key, name in FORK_ENDS.items()
           for by in ("", "-llvm")]
    return Table([f"{section.title}, time over serial", "compiler", "1 worker", "2 workers",
                  "ns a fork, 1 worker"],
                 [[name, committed.compiler(section, label),
                   *(spread(c and c.get("over_serial"))
                     for c in (section.case(label, p) for p in WORKERS)),
                   spread(ns_a_fork(section, section.case(label, 1)))]
                  for label, name in (*own, *peers) if section.case(label, 1)], note)


def fork_cost(committed):
    """Three peers, of each the fastest way to use it, by the compiler that is best for it; and
    where, when and how often that was measured."""
    section = committed.section("fib")
    run, rounds = committed.run_of(section), max(c["rounds"] for c in section.cases)
    note = wrapped(f"{machine_name(run)}, {run['started'][:10]}; {rounds} rounds, median "
                   f"(lowest..highest). {run.get('note', '')}".rstrip())
    return _forks(committed, [(c["label"], name) for library, name in PEERS.items()
                              if (c := fastest(committed, section, library))], note)


def every_library(committed):
    """Of each peer the fastest way to use it."""
    section = committed.section("fib")
    libraries = {committed.library(label): None for label in section.labels}
    found = [fastest(committed, section, library)
             for library in libraries if library not in (NOPAL, "serial")]
    found.sort(key=lambda case: case["over_serial"][0])
    return _forks(committed, [(c["label"], c["label"]) for c in found])


def spawn(committed):
    """The time to spawn and join empty functions by each library, and over nopal's."""
    section = committed.section("spawn")
    labels = [label for label in section.labels if not label.startswith(("serial", "elision"))]
    found = {label: [section.case(label, p) for p in WORKERS] for label in labels}
    rows = [[label, committed.compiler(section, label),
             *(cell for c in cases
               for cell in (number(c and c["seconds"]), spread(c and c.get("over_nopal"))))]
            for label, cases in sorted(found.items(),
                                       key=lambda entry: entry[1][0]["seconds"])]
    header = [cell for p in WORKERS for cell in (f"P = {p}, seconds", "over nopal")]
    return Table([f"{section.title}", "compiler", *header], rows)


# --- beside the peers


def _own_cases(section, workers):
    return [c for c in section.cases if c["label"].startswith(NOPAL)
            and c["workers"] == workers and "@" not in c["label"]]


def _front_end(label):
    return label.removeprefix(f"{NOPAL}-")


def own(committed):
    """Overhead of the variant that has least, speedup of the one that is fastest with two, and the
    peer that is nearest."""
    rows, used_sections, seen = [], [], set()
    for section in committed.workloads:
        if section.name in seen:  # in another size
            continue
        seen.add(section.name)
        one = min((c for c in _own_cases(section, 1) if "over_serial" in c),
                  key=lambda c: c["over_serial"][0], default=None)
        two = min((c for c in _own_cases(section, 2) if "speedup" in c),
                  key=lambda c: c["seconds"], default=None)
        peer = min((c for c in section.cases if c["workers"] == 2 and "over_nopal" in c),
                   key=lambda c: c["over_nopal"][0], default=None)
        if one is None or two is None:
            continue
        used = [one["over_serial"], two["speedup"], *([peer["over_nopal"]] if peer else [])]
        used_sections.append(section)
        rows.append([section.title, f"{number(one['over_serial'][0])} {_front_end(one['label'])}",
                     f"{number(two['speedup'][0])} {_front_end(two['label'])}",
                     f"{number(peer['over_nopal'][0])} {peer['label']}" if peer else number(None),
                     one["rounds"],
                     scatter(used) if min(one["rounds"], two["rounds"]) > 1 else number(None)])
    return with_machines(committed, used_sections, Table(
        ["workload", "T_1/T_s", "T_1/T_2", "nearest peer, P = 2", "rounds", "±"], rows))


def _peers(committed):
    """(library, compiler, machine) of every library but nopal -> the sections that have it."""
    found = {}
    for section in committed.workloads:
        for label in section.labels:
            if (library := committed.library(label)) not in (NOPAL, "serial"):
                key = (library, committed.compiler(section, label), committed.machine(section))
                found.setdefault(key, {})[section.title] = section
    return dict(sorted(found.items()))


def peers(committed):
    """T_peer/T_nopal as geometric mean over the workloads, those of several sizes once."""
    rows, machines = [], []
    for (library, compiler, machine), sections in _peers(committed).items():
        row = [library, compiler]
        machines.append(next(iter(sections.values())))
        for workers in (1, 2):
            by_workload, lost = {}, 0
            for section in sections.values():
                case = fastest(committed, section, library, workers, compiler)
                if case and "over_nopal" in case:
                    by_workload.setdefault(section.name, []).append(case["over_nopal"][0])
                    lost += is_lost(case)
            means = [geometric_mean(ratios) for ratios in by_workload.values()]
            row += [len(means), number(geometric_mean(means)) if means else number(None), lost]
        rows.append(row)
    figures = [cell for p in (1, 2) for cell in ("of", f"T_peer/T_nopal, P = {p}", "lost")]
    return with_machines(committed, machines, Table(["peer", "compiler", *figures], rows))


def is_lost(case):
    """Whether the peer was faster in every round, of several."""
    return case["rounds"] > 1 and case["over_nopal"][2] < 1


def losses(committed):
    """Every case in which a peer was faster in every round, and by more than 3 %; all ways to use a
    peer count."""
    found = [(section, c) for section in committed.workloads for c in section.cases
             if "over_nopal" in c and is_lost(c) and c["over_nopal"][0] < 1 / CLEARLY]
    found.sort(key=lambda pair: pair[1]["over_nopal"][0])
    rows = [[section.title, c["label"], _front_end(_beside(committed, section, c)["label"]),
             c["workers"], spread(c["over_nopal"]), c["rounds"]] for section, c in found]
    return with_machines(committed, [section for section, _ in found], Table(
        ["workload", "peer", "nopal", "P", "T_peer/T_nopal", "rounds"], rows))


def _beside(committed, section, case):
    """The case of nopal that a peer's is over."""
    found = (fastest(committed, section, NOPAL, case["workers"], compiler)
             for compiler in (committed.compiler(section, case["label"]), None))
    return next(filter(None, found))


def _compared(committed, section, workers):
    """Label -> its case, of those that stand beside the serial program: nopal first."""
    cases = [c for c in section.cases if c["workers"] == workers and "over_serial" in c
             and committed.library(c["label"]) != "serial" and "@" not in c["label"]]
    return {c["label"]: c for c in sorted(
        cases, key=lambda c: order(committed.library(c["label"])))}


def _libraries(committed, labels):
    return {label: committed.library(label) for label in labels}


def peer_charts(committed):
    """The geometric means of the table of peers."""
    rows, libraries = {}, {}
    for library, compiler, _, one, _, _, two, _, *machine in peers(committed).rows:
        name = ", ".join((library, compiler, *machine))
        rows[name] = {f"P = {p}": float(value) for p, value in ((1, one), (2, two))
                      if value != number(None)}
        libraries[name] = library
    if any(rows.values()):
        yield Bars("peers", "T_peer/T_nopal, geometric mean of the workloads.", "T_peer/T_nopal",
                   rows, 1, libraries)


def overhead_charts(committed):
    for section in committed.workloads:
        if cases := _compared(committed, section, 1):
            yield Bars(f"overhead-{as_name(section.title)}", f"{section.title}: T_1/T_s.",
                       f"T_1/T_s of {section.title}",
                       {label: {"T_1/T_s": c["over_serial"]} for label, c in cases.items()}, 1,
                       _libraries(committed, cases))


def _inverse(ratio):
    return [1 / ratio[0], 1 / ratio[2], 1 / ratio[1]]


def speedup_charts(committed):
    for section in committed.workloads:
        workers = sorted({c["workers"] for c in section.cases})
        rows = nested((label, f"P = {p}", _inverse(c["over_serial"])) for p in workers
                      for label, c in _compared(committed, section, p).items())
        if rows and len(workers) > 1:
            yield Bars(f"scaling-{as_name(section.title)}", f"{section.title}: speedup over the "
                       "serial program.", f"T_s/T_P of {section.title}", rows, 1,
                       _libraries(committed, rows))


def grain_charts(committed):
    """Of workloads in three sizes and more."""
    for name in dict.fromkeys(s.name for s in committed.workloads):
        sizes = sorted((s for s in committed.workloads if s.name == name), key=lambda s: s.n)
        for p in (1, 2) if len(sizes) >= FEWEST_SIZES else ():
            curves = nested((label, section.n, [x / p for x in _inverse(c["over_serial"])])
                            for section in sizes
                            for label, c in _compared(committed, section, p).items())
            curves = {label: of for label, of in curves.items() if len(of) >= FEWEST_SIZES}
            if curves:
                yield Lines(f"grain-{name}-{p}", f"{name}, P = {p}: efficiency against n.", "n",
                            f"T_s/({p} T_{p})", curves, line=1,
                            libraries=_libraries(committed, curves))
