# SPDX-License-Identifier: Apache-2.0
"""What giving stack pages back costs, and how often it happens (Pfeiffer 2020, figures 5.4 and
5.5)."""

from ..tables import number, spread
from . import draw
from .contents import Part, Picture, Table, Text, missing
from .counts import page_faults_per_run, total_per_run
from .libraries import NOPAL, colour

TITLE = "Reclaim policies"
POLICIES = ("none", "free", "dontneed", "adaptive")  # from the lightest to the darkest bar
COUNTS = {
    "steals": lambda records: total_per_run(records, "steals"),
    "suspensions": lambda records: total_per_run(records, "suspensions"),
    "unmaps": lambda records: total_per_run(records, "unmaps"),
    "page faults": page_faults_per_run,
}


def part(measured):
    if measured.reclaim is None or not _keys(measured.reclaim.results):
        return Part("reclaim", TITLE,
                    [missing("counts of steals, suspensions, unmaps and page faults by policy",
                                               "./run bench --workload reclaim")])
    results = measured.reclaim.results
    return Part("reclaim", TITLE, [
        Text("Each workload with each policy of NOPAL_RECLAIM. Counts are for one run of the "
             "workload, the median of "
             "the rounds; unmaps are calls of madvise."),
        *_pictures(results), _table(results)])


def _keys(results):
    """(workload and front end, workers) -> its policies, in order."""
    found = {}
    for label, p in results.keys():
        what, _, policy = label.rpartition("@")
        found.setdefault((what, p), []).append(policy)
    return {key: [policy for policy in POLICIES if policy in has] for key, has in found.items()}


def _table(results):
    rows = []
    for (what, p), policies in _keys(results).items():
        for policy in policies:
            records = results.records(f"{what}@{policy}", p)
            ratio = results.ratio((f"{what}@{policy}", p), (f"{what}@none", p))
            rows.append([what, policy, p, spread(ratio),
                         *(number(count(records)) for count in COUNTS.values()),
                         number(total_per_run(records, "pages_given_back"))])
    return Table("Time over that without reclaiming, and counts for one run",
                 ["workload and front end", "policy", "P", "time/none", *COUNTS,
                  "pages given back"], rows, names=2)


def _pictures(results):
    most = max(p for _, p in _keys(results))
    for name, count in COUNTS.items():
        bars = {what: {policy: count(results.records(f"{what}@{policy}", p)) or 0
                       for policy in policies}
                for (what, p), policies in _keys(results).items() if p == most}
        said = "; ".join(f"{what}: "
                         + ", ".join(f"{policy} {number(value)}" for policy, value in of.items())
                         for what, of in bars.items())
        yield Picture(f"reclaim-{name.replace(' ', '-')}",
                      f"Bars: {name} for one run by policy, P = {most}. {said}",
                      f"{name.capitalize()} for one run with {most} workers, by policy; no bar "
                      "means 0.",
                      _bars(bars, name, most))


@draw.styled
def _bars(bars, name, most):
    policies = [policy for policy in POLICIES if any(policy in of for of in bars.values())]
    figure, ax = draw.axes(1.0 + 0.14 * len(bars) * (len(policies) + 0.6), grid="x")
    height = 0.8 / len(policies)
    for index, policy in enumerate(policies):
        offset = (index - (len(policies) - 1) / 2) * height
        rows = [row + offset for row, of in enumerate(bars.values()) if policy in of]
        ax.barh(rows, [of[policy] for of in bars.values() if policy in of], height=height * 0.92,
                label=policy,
                color=colour(NOPAL), alpha=0.4 + 0.6 * index / max(1, len(policies) - 1))
    values = [value for of in bars.values() for value in of.values()]
    if max(values, default=0) > 20:
        ax.set_xscale("symlog", linthresh=1)
        ax.set_xlim(left=0)
    draw.plain_numbers(ax.xaxis)
    ax.set_yticks(range(len(bars)), list(bars))
    ax.tick_params(axis="y", length=0)
    ax.invert_yaxis()
    logarithmic = ", logarithmic" if ax.get_xscale() == "symlog" else ""
    ax.set_xlabel(f"{name} for one run, P = {most}{logarithmic}")
    ax.legend(loc="lower center", bbox_to_anchor=(0.4, 1.0), ncols=len(policies))
    return figure
