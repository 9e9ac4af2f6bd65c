# SPDX-License-Identifier: Apache-2.0
"""Memory: what workers take, pages of stacks against their bound, and what giving them back
costs."""

from statistics import geometric_mean

from ..report import published
from ..stacks.reclaim import ADAPTIVE, RECLAIM
from ..tables import as_markdown, number
from .cells import spread, with_error

FORKS, DEEP = ("fib", None), ("uts_binomial", 3)


def _megabytes(case):
    return number(case.get("workers_rss_mb")) if case else number(None)


def memory(committed):
    """What two workers take, the largest resident set less that of the process before they
    start."""
    forks, deep = committed.section(*FORKS), committed.section(*DEEP)
    labels = [label for label in deep.labels if committed.library(label) != "serial"
              and forks.case(label, 2) and deep.case(label, 2)]
    labels.sort(key=lambda label: deep.case(label, 2)["workers_rss_mb"])
    # Of several ways to use a peer the one that takes least.
    least = {committed.library(label): label for label in reversed(labels)}
    labels = [label for label in labels if label in least.values() or label.startswith("nopal")]
    rows = [[label, _megabytes(forks.case(label, 2)), _megabytes(deep.case(label, 2)),
             number(deep.case(label, 2)["rss_mb"]), number(deep.case(label, 2)["seconds"][0])]
            for label in labels]
    return as_markdown(["two workers", f"{forks.title}, MB", f"{deep.title}, MB",
                        "whole process, MB", "s"], rows)


def growth(committed):
    """The exponent of memory over workers, beside that of the nearest peer that was published."""
    section = committed.section("growth")
    found = {}
    for c in section.cases:
        title, label = c["label"].split(" ")
        found.setdefault(title, {})[label] = c
    labels = list(dict.fromkeys(label for of_title in found.values() for label in of_title))
    rows = []
    for title, of_title in found.items():
        name, n = title.rstrip(")").split("(")
        known = published.exponent(name, int(n), published.NEAREST, None)
        rows.append([title, *(_exponent(of_title.get(label)) for label in labels),
                     with_error(*known) if known else number(None)])
    return as_markdown(["n", *labels, f"{published.NEAREST}, published"], rows)


def _exponent(case):
    """n, and the memory of one worker and of the most."""
    if case is None:
        return number(None)
    sizes = list(case["mb"].values())
    memory = f"({number(sizes[0])} to {number(sizes[-1])} MB)"
    return f"{with_error(case['n'], case['error'])} {memory}" if "n" in case else f"– {memory}"


def pages(committed):
    """S_P/P over S_1 + D: for each front end the most of all programs."""
    found = {}
    for c in committed.section("space").cases:
        program, front_end = c["label"].split(" ")
        for workers, each in c["pages_per_worker"].items():
            share = each / (c["serial_pages"] + c["depth"])
            found.setdefault(front_end, {}).setdefault(int(workers), []).append((share, program))
    workers = sorted({p for by_workers in found.values() for p in by_workers})
    rows = []
    for front_end, by_workers in found.items():
        most = [max(by_workers[p]) for p in workers]
        rows.append([front_end, len(by_workers[workers[0]]), *(number(share) for share, _ in most),
                     max(most)[1]])
    return as_markdown(["front end", "programs", *(f"P = {p}" for p in workers), "the most by"],
                       rows)


def reclaim(committed):
    """Time with the default policy over that with all pages kept, by front end."""
    by_front_end = {}
    for c in committed.section(RECLAIM.section).cases:
        program, front_end = c["label"].split(" ")
        if ADAPTIVE in c["over_none"]:
            by_front_end.setdefault(front_end, []).append((c["over_none"][ADAPTIVE], program))
    rows = []
    for front_end, found in by_front_end.items():
        most, program = max(found)
        rows.append([front_end, len(found), number(geometric_mean(ratio[0] for ratio, _ in found)),
                     spread(most), program])
    return as_markdown(["front end", "programs", "geometric mean", "the most", "by"], rows)
