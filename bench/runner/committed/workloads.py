# SPDX-License-Identifier: Apache-2.0
"""nopal in every workload, alone and beside its peers."""

from statistics import geometric_mean

from ..tables import as_markdown, number
from .cells import scatter, spread
from .forks import fastest

NOPAL = "nopal"
CLEARLY = 1.03  # by how many times nopal takes longer where a loss is listed


def _own_cases(section, workers):
    return [c for c in section.cases if c["label"].startswith(NOPAL)
            and c["workers"] == workers and "@" not in c["label"]]


def _short(label):
    return label.removeprefix(f"{NOPAL}-")


def own(committed):
    """Overhead of the variant that has least, speedup of the one that is fastest with two, and the
    peer that is nearest."""
    rows, seen = [], set()
    for section in committed.workloads:
        if section.name in seen:  # in another size
            continue
        seen.add(section.name)
        one = min((c for c in _own_cases(section, 1) if "over_serial" in c),
                  key=lambda c: c["over_serial"][0], default=None)
        two = min((c for c in _own_cases(section, 2) if "speedup" in c),
                  key=lambda c: c["seconds"][0], default=None)
        peer = min((c for c in section.cases if c["workers"] == 2 and "over_nopal" in c),
                   key=lambda c: c["over_nopal"][1], default=None)
        if one is None or two is None:
            continue
        used = [one["over_serial"], two["speedup"], *([peer["over_nopal"][1:]] if peer else [])]
        rows.append([section.title, f"{number(one['over_serial'][0])} {_short(one['label'])}",
                     f"{number(two['speedup'][0])} {_short(two['label'])}",
                     f"{number(peer['over_nopal'][1])} {peer['label']}" if peer else number(None),
                     one["rounds"],
                     scatter(used) if min(one["rounds"], two["rounds"]) > 1 else number(None)])
    return as_markdown(["workload", "T_1/T_s", "T_1/T_2", "nearest peer, P = 2", "rounds", "±"],
                       rows)


def _peers(committed):
    """(library, compiler) of every library but nopal."""
    return sorted({(v["library"], v["compiler"]) for v in committed.variants.values()
                   if v["library"] not in (NOPAL, "serial")})


def peers(committed):
    """T_peer/T_nopal as geometric mean over the workloads, those of several sizes once."""
    rows = []
    for library, compiler in _peers(committed):
        row = [library, compiler]
        for workers in (1, 2):
            by_workload, lost = {}, 0
            for section in committed.workloads:
                case = fastest(committed, section, library, workers, compiler)
                if case and "over_nopal" in case:
                    by_workload.setdefault(section.name, []).append(case["over_nopal"][1])
                    lost += is_lost(case)
            means = [geometric_mean(ratios) for ratios in by_workload.values()]
            row += [len(means), number(geometric_mean(means)) if means else number(None), lost]
        rows.append(row)
    figures = [cell for p in (1, 2) for cell in ("of", f"T_peer/T_nopal, P = {p}", "lost")]
    return as_markdown(["peer", "compiler", *figures], rows)


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
    return as_markdown(["workload", "peer", "nopal", "P", "T_peer/T_nopal", "rounds"], rows)
