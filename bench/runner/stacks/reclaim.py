# SPDX-License-Identifier: Apache-2.0
"""What giving stack pages back costs, and how often it happens (Pfeiffer 2020, figures 5.4 and
5.5)."""

from statistics import geometric_mean

from ..charts import Bars
from ..ratios import digits, without_none
from ..tables import Table, number, spread
from ..targets import Target
from .figure import Figure, whole
from .published import drawn

NONE, ADAPTIVE = "none", "adaptive"
POLICIES = (NONE, "free", "dontneed", ADAPTIVE)
COUNTS = ("steals", "suspensions", "unmaps", "page faults")


def jobs(asked, programs):
    return [asked.job(v, p, f"{v.workload} {v.name}@{policy}", {"NOPAL_RECLAIM": policy})
            for v in programs.variants if v.family == "nopal" and asked.has(v)
            for p in (asked.workers_or([2]) if v.parallel else [1]) for policy in POLICIES]


def cases(results):
    """By policy. over_none: the time over that with all pages kept; counts: steals, suspensions,
    unmaps and page faults of one run."""
    found = []
    for what, p in dict.fromkeys((label.rpartition("@")[0], p) for label, p in results.keys()):
        labels = {policy: f"{what}@{policy}" for policy in POLICIES
                  if results.records(f"{what}@{policy}", p)}
        found.append({"label": what, "workers": p,
                      "rounds": max(len(results.by_round(label, p)) for label in labels.values()),
                      "over_none": without_none({
                          policy: results.ratio((label, p), (f"{what}@{NONE}", p))
                          for policy, label in labels.items() if policy != NONE}),
                      "counts": {policy: [*(digits(results.total_per_run(label, p, count))
                                            for count in COUNTS[:-1]),
                                          digits(results.page_faults_per_run(label, p))]
                                 for policy, label in labels.items()}})
    return found


def table(section):
    """Over all programs: time over that with all pages kept, and the sum of what is counted in one
    run of each."""
    rows = []
    for policy in POLICIES:
        ratios = [(c["over_none"][policy], c["label"]) for c in section.cases
                  if policy in c.get("over_none", {})]
        counts = [c["counts"][policy] for c in section.cases if policy in c.get("counts", {})]
        if not ratios and not counts:
            continue
        most, program = max(ratios, default=(None, number(None)))
        rows.append([policy, len(ratios) if policy != NONE else len(counts),
                     number(geometric_mean(ratio[0] for ratio, _ in ratios)) if ratios
                     else number(None), spread(most), program,
                     *(whole(sum(of[place] or 0 for of in counts) if counts else None)
                       for place in range(len(COUNTS)))])
    return Table(["policy", "programs", "time/none, geometric mean", "the most", "by",
                  *COUNTS], rows)


def of_front_ends(committed):
    """Time with the default policy over that with all pages kept, by front end."""
    by_front_end = {}
    for c in committed.section(RECLAIM.section).cases:
        program, front_end = c["label"].split(" ")
        if ADAPTIVE in c.get("over_none", {}):
            by_front_end.setdefault(front_end, []).append((c["over_none"][ADAPTIVE], program))
    rows = []
    for front_end, found in by_front_end.items():
        most, program = max(found)
        rows.append([front_end, len(found), number(geometric_mean(ratio[0] for ratio, _ in found)),
                     spread(most), program])
    return Table(["front end", "programs", "geometric mean", "the most", "by"], rows)


def charts(section):
    most = max(c["workers"] for c in section.cases)
    programs = {c["label"]: c for c in section.cases if c["workers"] == most}
    programs = {label: programs[label] for label in drawn(programs)}
    yield Bars("reclaim-time", f"Time over that with all pages kept, {most} workers, by policy.",
               f"time/none, P = {most}",
               {label: c["over_none"] for label, c in programs.items() if c.get("over_none")}, 1)
    for place, name in enumerate(COUNTS):
        yield Bars(f"reclaim-{name.replace(' ', '-')}", f"{name.capitalize()} of one run with "
                   f"{most} workers, by policy; no bar means 0.", f"{name} of one run, P = {most}",
                   {label: {policy: counts[place] or 0 for policy, counts in c["counts"].items()}
                    for label, c in programs.items()})


def targets(size, found):
    for c in found:
        if ADAPTIVE in c.get("over_none", {}):
            yield Target(f"{c['label']}, reclaim adaptive over none, P = {c['workers']}",
                         c["over_none"][ADAPTIVE][0], 1.03, 1.00, True)


RECLAIM = Figure("reclaim", "time, steals, suspensions, unmaps and page faults by reclaim policy",
                 "Pfeiffer 2020, figures 5.4 and 5.5", jobs, cases, table, charts, targets,
                 note="Each workload with each policy of NOPAL_RECLAIM. Counts are for one run of "
                      "the workload, the median of the rounds; unmaps are calls of madvise.")
