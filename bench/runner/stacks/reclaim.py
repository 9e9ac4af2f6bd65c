# SPDX-License-Identifier: Apache-2.0
"""Time, and what is counted, by the policy of giving pages back (Pfeiffer 2020, figures 5.4 and
5.5)."""

from ..tables import Table
from .figure import SUMMARY, Compared, summary, whole

NONE, ADAPTIVE = "none", "adaptive"
POLICIES = (NONE, "free", "dontneed", ADAPTIVE)


class Reclaim(Compared):
    def jobs(self, asked, programs):
        return [asked.job(v, policy, p, {"NOPAL_RECLAIM": policy})
                for v in programs.of("nopal") if asked.has(v)
                for p in asked.workers_or([2]) for policy in POLICIES]

    def counted(self, results, program, way, workers):
        """Of one run."""
        key = f"{program}@{way}", workers
        return [*(results.total_per_run(*key, count) for count in self.counts[:-1]),
                results.page_faults_per_run(*key)]

    def table(self, section):
        """Over all programs: time over that with all pages kept, and the sum of what is counted in
        one run of each."""
        rows = []
        for policy in POLICIES:
            counts = [c["counts"][policy] for c in section.cases if policy in c.get("counts", {})]
            over = [(c["over"][policy], c["label"]) for c in section.cases if policy in c["over"]]
            if over or counts:
                rows.append([policy, *summary(over),
                             *(whole(sum(of or 0 for of in column)) for column in zip(*counts))])
        return Table(["policy over none", *SUMMARY, *self.counts], rows)


def of_front_ends(committed):
    """Time with the default policy over that with all pages kept, by front end."""
    found = {}
    for c in committed.section(RECLAIM.section).cases:
        program, front_end = c["label"].split(" ")
        if ADAPTIVE in c["over"]:
            found.setdefault(front_end, []).append((c["over"][ADAPTIVE], program))
    return Table(["front end", *SUMMARY],
                 [[front_end, *summary(of)] for front_end, of in found.items()])


RECLAIM = Reclaim("reclaim", "time, steals, suspensions, unmaps and page faults by reclaim policy",
                  "Pfeiffer 2020, figures 5.4 and 5.5", (),
                  "Each workload with each policy of NOPAL_RECLAIM. Counts are for one run of the "
                  "workload, the median of the rounds; unmaps are calls of madvise.",
                  NONE, {policy: policy for policy in POLICIES[1:]}, "time/none",
                  ("steals", "suspensions", "unmaps", "page faults"))
