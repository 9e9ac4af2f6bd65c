# SPDX-License-Identifier: Apache-2.0
"""Wait-free joins and deques against those with locks (Pfeiffer 2020, figure 5.2), and against the
deques of Arora, Blumofe and Plaxton and of Chase and Lev (Schmaus 2015, section 5.5)."""

from statistics import geometric_mean

from ..charts import Bars
from ..ratios import without_none
from ..tables import SERIAL, nested, number, pivot
from ..targets import Target
from .figure import DEFAULT, Figure, by_workers, front_end, serial_of, workload_of
from .published import PFEIFFER, PROGRAMS, drawn

# Family -> what differs in it. The first paper's figure has the second and the third, and the other
# paper compares the last two.
LOCKED, THE, BOTH = "nopal-locked", "nopal-the", "nopal-the-locked"
KINDS = {LOCKED: "locked join", THE: "THE deque", BOTH: "THE deque and locked join",
         "nopal-abp": "ABP deque", "nopal-fenced": "Chase-Lev deque"}


def jobs(asked, programs):
    """The serial program, then each front end in all builds."""
    locked = {(v.workload, v.name): v for v in programs.of(*KINDS)}
    found = []
    for workload in dict.fromkeys(v.workload for v in locked.values()):
        ours = [v for v in programs.variants if v.workload == workload and v.family == "nopal"
                and asked.has(v, (*PROGRAMS, *PFEIFFER)) and _beside(v, locked)]
        found += [asked.job(v) for v in serial_of(programs, workload) if ours]
        found += [asked.job(of, p) for v in ours for p in asked.workers_or([2, 8])
                  for of in [v, *_beside(v, locked)]]
    return found


def _beside(v, locked):
    """The same program by the builds with locks, as far as there are any."""
    names = [(v.workload, f"{family}-{front_end(v)}") for family in KINDS]
    return [locked[name] for name in names if name in locked]


def cases(results):
    """over_default: by the family of the build with locks, its time over that of the default
    build; speedup: T_s/T_P of that."""
    found = []
    for label, p in results.keys():
        workload, name = label.split(" ")
        if name == SERIAL or name.startswith(tuple(f"{kind}-" for kind in KINDS)):
            continue
        end = name.removeprefix(DEFAULT)
        ratios = {kind: ratio for kind in KINDS if (ratio := results.ratio(
            (f"{workload} {kind}-{end}", p), (label, p))) is not None}
        if ratios:
            found.append(without_none({
                "label": f"{workload} {end}", "workers": p,
                "rounds": max(ratio.number for ratio in ratios.values()),
                "over_default": ratios,
                "speedup": results.ratio((f"{workload} {SERIAL}", 1), (label, p))}))
    return found


def mean(ratios_of_workloads):
    """The geometric mean, in which each workload counts once. `ratios_of_workloads`: pairs."""
    by_workload = {}
    for workload, ratio in ratios_of_workloads:
        by_workload.setdefault(workload, []).append(ratio)
    return geometric_mean(geometric_mean(ratios) for ratios in by_workload.values())


def _columns(section_cases):
    """(workers, kind) -> the pairs of workload and ratio."""
    found = {(p, kind): [] for p in sorted({c["workers"] for c in section_cases}) for kind in KINDS}
    for c in section_cases:
        for kind, ratio in c["over_default"].items():
            found[c["workers"], kind].append((workload_of(c["label"]), ratio[0]))
    return {column: ratios for column, ratios in found.items() if ratios}


def table(section):
    """By program, and geometric means in which each workload counts once."""
    columns = _columns(section.cases)
    by_label = nested((c["label"], (c["workers"], kind), ratio) for c in section.cases
                      for kind, ratio in c["over_default"].items())
    speedups = by_workers(section, "speedup")
    found = pivot("time over the default's", (
        entry for label, of in by_label.items() for entry in (
            *((label, f"{KINDS[kind]}, P = {p}", of.get((p, kind))) for p, kind in columns),
            *((label, f"T_s/T_P, P = {p}", of_p.get(label)) for p, of_p in speedups.items()))))
    found.rows.append(["geometric mean", *(number(mean(of)) for of in columns.values()),
                       *(number(None) for _ in speedups)])
    return found


def charts(section):
    for p, found in by_workers(section, "over_default").items():
        rows = {label: {KINDS[kind]: ratio for kind, ratio in of.items()}
                for label, of in found.items()}
        yield Bars(f"locked-{p}", f"Time of other joins and deques over that of the default build, "
                   f"{p} workers.", f"over the default build, P = {p}",
                   {label: rows[label] for label in drawn(rows)}, 1)


def targets(size, found):
    """A time over that of the default is by how many times the default is faster."""
    for (p, kind), ratios in _columns(found).items():
        yield Target(f"wait-free over {KINDS[kind]}, geometric mean of "
                     f"{len({workload for workload, _ in ratios})} workloads, P = {p}",
                     mean(ratios), 1.0 if kind == LOCKED else None, 1.0, False)


JOINS = Figure("joins", "wait-free joins and deques against those with locks",
               "Pfeiffer 2020, figure 5.2", jobs, cases, table, charts, targets,
               ("nopal-locked",),
               note="The same programs, with nopal built with a lock in each join, with another "
                    "deque, and with both. Above 1, the other build takes longer.")
