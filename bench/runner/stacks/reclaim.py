# SPDX-License-Identifier: Apache-2.0
"""What giving stack pages back costs, and how often it happens (Pfeiffer 2020, figures 5.4 and
5.5)."""

from ..counts import page_faults_per_run, total_per_run
from ..kept import as_list, digits
from ..measure import Job
from ..tables import number, spread
from ..targets import Target
from .figure import Figure

NONE, ADAPTIVE = "none", "adaptive"
POLICIES = (NONE, "free", "dontneed", ADAPTIVE)
COUNTS = {
    "steals": lambda records: total_per_run(records, "steals"),
    "suspensions": lambda records: total_per_run(records, "suspensions"),
    "unmaps": lambda records: total_per_run(records, "unmaps"),
    "page faults": page_faults_per_run,
}


def jobs(asked, programs):
    return [Job(f"{v.workload} {v.name}@{policy}", p, v.command(p, v.sizes[asked.size], 1),
                {"NOPAL_RECLAIM": policy})
            for v in programs.variants if v.family == "nopal" and asked.has(v)
            for p in (asked.workers_or([2]) if v.parallel else [1]) for policy in POLICIES]


def by_program(results):
    """(workload and front end, workers) -> its policies, in order."""
    found = {}
    for label, p in results.keys():
        what, _, policy = label.rpartition("@")
        found.setdefault((what, p), set()).add(policy)
    return {key: [policy for policy in POLICIES if policy in has] for key, has in found.items()}


def over_none(results, what, policy, workers):
    return results.ratio((f"{what}@{policy}", workers), (f"{what}@{NONE}", workers))


def table(results):
    rows = []
    for (what, p), policies in by_program(results).items():
        for policy in policies:
            records = results.records(f"{what}@{policy}", p)
            rows.append([what, policy, p, spread(over_none(results, what, policy, p)),
                         *(number(count(records)) for count in COUNTS.values()),
                         number(total_per_run(records, "pages_given_back")),
                         number(results.peak_rss(f"{what}@{policy}", p) / 1e6)])
    return ["workload and front end", "policy", "P", "time/none", *COUNTS, "pages given back",
            "RSS, MB"], rows


def targets(size, results):
    for (what, p), policies in by_program(results).items():
        ratio = over_none(results, what, ADAPTIVE, p) if ADAPTIVE in policies else None
        if ratio is not None:
            yield Target(f"{what}, reclaim adaptive over none, P = {p}", ratio.median, 1.03, 1.00,
                         True)


def cases(results):
    """By policy. over_none: the time over that with all pages kept; counts: steals, suspensions,
    unmaps and page faults of one run."""
    found = []
    for (what, p), policies in by_program(results).items():
        ratios = {policy: over_none(results, what, policy, p)
                  for policy in policies if policy != NONE}
        counts = {policy: [digits(count(results.records(f"{what}@{policy}", p)))
                           for count in COUNTS.values()] for policy in policies}
        found.append({"label": what, "workers": p,
                      "rounds": max(len(results.by_round(f"{what}@{policy}", p))
                                    for policy in policies),
                      "over_none": {policy: as_list(ratio)
                                    for policy, ratio in ratios.items() if ratio is not None},
                      "counts": counts})
    return found


RECLAIM = Figure("reclaim", "time, steals, suspensions, unmaps and page faults by reclaim policy",
                 "Pfeiffer 2020, figures 5.4 and 5.5", jobs, table, targets, cases)
