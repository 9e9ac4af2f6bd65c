# SPDX-License-Identifier: Apache-2.0
"""Memory: what workers take, pages of stacks against their bound, and what giving them back
costs."""

from statistics import geometric_mean

from .. import published
from ..charts import Lines
from ..stacks.reclaim import ADAPTIVE, RECLAIM
from ..tables import Table, number, spread
from .cells import as_name, with_error
from .results import NotMeasured

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
             number(deep.case(label, 2)["rss_mb"]), number(deep.case(label, 2)["seconds"])]
            for label in labels]
    several = committed.machine(forks) != committed.machine(deep)
    of_deep = f" ({committed.machine(deep)})" if several else ""
    return Table([f"two workers{f', {committed.machine(forks)}' if several else ''}",
                  f"{forks.title}, MB", f"{deep.title}, MB{of_deep}", "whole process, MB", "s"],
                 rows)


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
    return Table(["n", *labels, f"{published.NEAREST}, published"], rows)


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
    return Table(["front end", "programs", *(f"P = {p}" for p in workers), "the most by"],
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
    return Table(["front end", "programs", "geometric mean", "the most", "by"], rows)


def growth_charts(committed):
    """Memory against workers, with the fit to it."""
    from ..growth import fit  # needs SciPy, and no table does
    try:
        section = committed.section("growth")
    except NotMeasured:
        return
    cpus = committed.run_of(section)["machine"]["cpus"]
    for title in dict.fromkeys(c["label"].split(" ")[0] for c in section.cases):
        sizes = {c["label"].split(" ")[1]: {int(p): mb for p, mb in c["mb"].items()}
                 for c in section.cases if c["label"].startswith(f"{title} ")}
        fits = {label: found for label, of in sizes.items() if (found := fit(of)) is not None}
        yield Lines(f"memory-{as_name(title)}", f"{title}: points are measured, lines the fit.",
                    "workers P", f"MRSS of {title}, MB", sizes, cpus=(cpus, cpus), fits=fits,
                    libraries={label: committed.library(label) for label in sizes
                               if label in committed.variants and not label.startswith("nopal")})
