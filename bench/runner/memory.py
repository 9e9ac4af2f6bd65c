# SPDX-License-Identifier: Apache-2.0
"""Memory: what two workers take, and how the peak grows with workers (Williams and Elliott 2024,
equation 17 and table II)."""

from statistics import median

from . import published
from .charts import Lines
from .command_line import need_packages
from .committed.cells import as_name, with_error
from .committed.results import NotMeasured
from .kept import digits, without_none
from .libraries import BASELINE, library_of
from .tables import Table, number

FORKS, DEEP = ("fib", None), ("uts_binomial", 3)
SECTION = "growth"


def cases(workloads):
    """Of those that were measured with more workers than CPUs. mb: {workers: MB}, the peak of the
    process; n, error: of the fit to it, where the memory determines n."""
    need_packages("numpy", "scipy")  # for the fit alone: tables are checked without them
    from .growth import fit
    found = []
    for workload in workloads:
        above = workload.oversubscribed().keys()
        for label, sizes in by_workers(workload.results).items():
            if above & sizes.keys():
                fitted = fit(sizes)
                known = fitted is not None and fitted.error is not None
                found.append(without_none({
                    "label": f"{workload.title} {label}",
                    "mb": {str(p): digits(mb) for p, mb in sorted(sizes.items())},
                    "n": digits(fitted.n) if known else None,
                    "error": digits(fitted.error) if known else None}))
    return found


def by_workers(results):
    """Label -> {workers: MB}, the median of the rounds; of all but serial programs."""
    found = {}
    for label, workers in sorted(results.keys(), key=lambda key: key[1]):
        records = results.records(label, workers)
        if library_of(records[0]) != BASELINE and "@" not in label:
            found.setdefault(label, {})[workers] = median(r["peak_rss_bytes"] / 1e6
                                                          for r in records)
    return found


def of_two(committed):
    """What two workers take, the largest resident set less that of the process before they
    start."""
    forks, deep = committed.section(*FORKS), committed.section(*DEEP)
    labels = [label for label in deep.labels if committed.library(label) != "serial"
              and forks.case(label, 2) and deep.case(label, 2)]
    labels.sort(key=lambda label: deep.case(label, 2)["workers_rss_mb"])
    # Of several ways to use a peer the one that takes least.
    least = {committed.library(label): label for label in reversed(labels)}
    labels = [label for label in labels if label in least.values() or label.startswith("nopal")]
    rows = [[label, *(number(of.case(label, 2).get("workers_rss_mb")) for of in (forks, deep)),
             number(deep.case(label, 2)["rss_mb"]), number(deep.case(label, 2)["seconds"])]
            for label in labels]
    several = committed.machine(forks) != committed.machine(deep)
    of_deep = f" ({committed.machine(deep)})" if several else ""
    return Table([f"two workers{f', {committed.machine(forks)}' if several else ''}",
                  f"{forks.title}, MB", f"{deep.title}, MB{of_deep}", "whole process, MB", "s"],
                 rows)


def growth(committed):
    """The exponent of memory over workers, beside that of the nearest peer that was published."""
    section = committed.section(SECTION)
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
    sizes = [case["mb"][p] for p in sorted(case["mb"], key=int)]
    memory = f"({number(sizes[0])} to {number(sizes[-1])} MB)"
    return f"{with_error(case['n'], case['error'])} {memory}" if "n" in case else f"– {memory}"


def growth_charts(committed):
    """Memory against workers, with the fit to it."""
    from .growth import fit  # needs SciPy, and no table does
    try:
        section = committed.section(SECTION)
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
