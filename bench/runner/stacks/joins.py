# SPDX-License-Identifier: Apache-2.0
"""Wait-free joins and deques against those with locks (Pfeiffer 2020, figure 5.2), and against the
deques of Arora, Blumofe and Plaxton and of Chase and Lev (Schmaus 2015, section 5.5)."""

from dataclasses import dataclass
from statistics import geometric_mean

from ..kept import as_list
from ..measure import Job
from ..tables import SERIAL, spread
from ..targets import Target
from .figure import DEFAULT, Figure, front_end
from .published import PFEIFFER, PROGRAMS

# Family -> what differs in it. The first paper's figure has the second and the third, and the other
# paper compares the last two.
LOCKED, THE, BOTH = "nopal-locked", "nopal-the", "nopal-the-locked"
KINDS = {LOCKED: "locked join", THE: "THE deque", BOTH: "THE deque and locked join",
         "nopal-abp": "ABP deque", "nopal-fenced": "Chase-Lev deque"}


def jobs(asked, programs):
    """The serial program, then each front end in all builds."""
    locked = {(v.workload, v.name): v for v in programs.locked}
    found = []
    for workload in dict.fromkeys(v.workload for v in programs.locked):
        ours = [v for v in programs.variants if v.workload == workload and v.family == "nopal"
                and asked.has(v, (*PROGRAMS, *PFEIFFER)) and _beside(v, locked)]
        serial = [v for v in programs.variants if (v.workload, v.name) == (workload, SERIAL)]
        found += [Job(f"{workload} {v.name}", 1, v.command(1, v.sizes[asked.size], 1))
                  for v in serial if ours]
        found += [Job(f"{workload} {of.name}", p, of.command(p, of.sizes[asked.size], 1))
                  for v in ours for p in asked.workers_or([2, 8])
                  for of in [v, *_beside(v, locked)]]
    return found


def _beside(v, locked):
    """The same program by the builds with locks, as far as there are any."""
    names = [(v.workload, f"{family}-{front_end(v)}") for family in KINDS]
    return [locked[name] for name in names if name in locked]


@dataclass(frozen=True)
class Joined:
    """A program with one number of workers; ratios: kind -> its time over that of the default
    build; speedups: T_s/T_P of the default build, and by kind."""

    label: str  # fib frame
    workers: int
    ratios: dict
    speedups: dict

    @property
    def workload(self):
        return self.label.split(" ")[0]


def joined(results):
    found = []
    for label, p in results.keys():
        workload, name = label.split(" ")
        end = name.removeprefix(DEFAULT)
        if name == SERIAL or name.startswith(tuple(f"{kind}-" for kind in KINDS)):
            continue
        others = {kind: (f"{workload} {kind}-{end}", p) for kind in KINDS}
        ratios = {kind: ratio for kind, other in others.items()
                  if (ratio := results.ratio(other, (label, p))) is not None}
        if ratios:
            speedups = {kind: speedup for kind, of in {"": (label, p), **others}.items()
                        if (speedup := results.ratio((f"{workload} {SERIAL}", 1), of)) is not None}
            found.append(Joined(f"{workload} {end}", p, ratios, speedups))
    return found


def kinds_of(found):
    return [kind for kind in KINDS if any(kind in j.ratios for j in found)]


def mean(ratios_of_workloads):
    """The geometric mean, in which each workload counts once. `ratios_of_workloads`: pairs."""
    by_workload = {}
    for workload, ratio in ratios_of_workloads:
        by_workload.setdefault(workload, []).append(ratio)
    return geometric_mean(geometric_mean(ratios) for ratios in by_workload.values())


def table(results):
    found = joined(results)
    kinds = kinds_of(found)
    rows = [[j.label, j.workers, spread(j.speedups.get("")),
             *(cell for kind in kinds
               for cell in (spread(j.speedups.get(kind)), spread(j.ratios.get(kind))))]
            for j in found]
    columns = [cell for kind in kinds
               for cell in (f"T_s/T_P, {KINDS[kind]}", f"{KINDS[kind]}/wait-free, time")]
    return ["workload and front end", "P", "T_s/T_P, wait-free", *columns], rows


def targets(size, results):
    """A time over that of the default is by how many times the default is faster."""
    found = joined(results)
    for p in sorted({j.workers for j in found}):
        for kind in kinds_of(found):
            ratios = [(j.workload, j.ratios[kind].median) for j in found
                      if j.workers == p and kind in j.ratios]
            if ratios:
                yield Target(f"wait-free over {KINDS[kind]}, geometric mean of "
                             f"{len({w for w, _ in ratios})} workloads, P = {p}", mean(ratios),
                             1.0 if kind == LOCKED else None, 1.0, False)


def cases(results):
    """over_default: by the family of the build with locks, its time over that of the default
    build."""
    return [{"label": j.label, "workers": j.workers,
             "rounds": max(ratio.count for ratio in j.ratios.values()),
             "over_default": {kind: as_list(ratio) for kind, ratio in j.ratios.items()}}
            for j in joined(results)]


JOINS = Figure("joins", "wait-free joins and deques against those with locks",
               "Pfeiffer 2020, figure 5.2", jobs, table, targets, cases,
               {"locked": "nopal-locked"})
