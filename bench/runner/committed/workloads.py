# SPDX-License-Identifier: Apache-2.0
"""nopal in every workload, alone and beside its peers."""

from statistics import geometric_mean

from ..charts import Bars, Lines
from ..libraries import order
from ..tables import Table, number, spread
from .cells import as_name, scatter, with_machines
from .forks import fastest

NOPAL = "nopal"
FEWEST_SIZES = 3  # of a line
CLEARLY = 1.03  # by how many times nopal takes longer where a loss is listed


def _own_cases(section, workers):
    return [c for c in section.cases if c["label"].startswith(NOPAL)
            and c["workers"] == workers and "@" not in c["label"]]


def _short(label):
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
                   key=lambda c: c["over_nopal"][1], default=None)
        if one is None or two is None:
            continue
        used = [one["over_serial"], two["speedup"], *([peer["over_nopal"][1:]] if peer else [])]
        used_sections.append(section)
        rows.append([section.title, f"{number(one['over_serial'][0])} {_short(one['label'])}",
                     f"{number(two['speedup'][0])} {_short(two['label'])}",
                     f"{number(peer['over_nopal'][1])} {peer['label']}" if peer else number(None),
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
                    by_workload.setdefault(section.name, []).append(case["over_nopal"][1])
                    lost += is_lost(case)
            means = [geometric_mean(ratios) for ratios in by_workload.values()]
            row += [len(means), number(geometric_mean(means)) if means else number(None), lost]
        rows.append(row)
    figures = [cell for p in (1, 2) for cell in ("of", f"T_peer/T_nopal, P = {p}", "lost")]
    return with_machines(committed, machines, Table(["peer", "compiler", *figures], rows))


def is_lost(case):
    """Whether the peer was faster in every round, of several."""
    return case["rounds"] > 1 and case["over_nopal"][3] < 1


def losses(committed):
    """Every case in which a peer was faster in every round, and by more than 3 %; all ways to use a
    peer count."""
    found = [(section, c) for section in committed.workloads for c in section.cases
             if "over_nopal" in c and is_lost(c) and c["over_nopal"][1] < 1 / CLEARLY]
    found.sort(key=lambda pair: pair[1]["over_nopal"][1])
    rows = [[section.title, c["label"], _short(c["over_nopal"][0]), c["workers"],
             spread(c["over_nopal"][1:]), c["rounds"]] for section, c in found]
    return with_machines(committed, [section for section, _ in found], Table(
        ["workload", "peer", "nopal", "P", "T_peer/T_nopal", "rounds"], rows))


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
        rows = {}
        workers = sorted({c["workers"] for c in section.cases})
        for p in workers:
            for label, c in _compared(committed, section, p).items():
                rows.setdefault(label, {})[f"P = {p}"] = _inverse(c["over_serial"])
        if rows and len(workers) > 1:
            yield Bars(f"scaling-{as_name(section.title)}", f"{section.title}: speedup over the serial "
                       "program.", f"T_s/T_P of {section.title}", rows, 1,
                       _libraries(committed, rows))


def grain_charts(committed):
    """Of workloads in three sizes and more."""
    for name in dict.fromkeys(s.name for s in committed.workloads):
        sizes = sorted((s for s in committed.workloads if s.name == name), key=lambda s: s.n)
        for p in (1, 2) if len(sizes) >= FEWEST_SIZES else ():
            curves = {}
            for section in sizes:
                for label, c in _compared(committed, section, p).items():
                    median, low, high = _inverse(c["over_serial"])
                    curves.setdefault(label, {})[section.n] = [median / p, low / p, high / p]
            curves = {label: of for label, of in curves.items() if len(of) >= FEWEST_SIZES}
            if curves:
                yield Lines(f"grain-{name}-{p}", f"{name}, P = {p}: efficiency against n.", "n",
                            f"T_s/({p} T_{p})", curves, 10, line=1,
                            libraries=_libraries(committed, curves))
