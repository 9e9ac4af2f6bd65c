# SPDX-License-Identifier: Apache-2.0
"""Memory: what two workers take, and how the peak grows with workers (Williams and Elliott 2024,
equation 17 and table II)."""

import warnings
from statistics import median

from .charts import Lines
from .command_line import need_packages
from .libraries import BASELINE, library_of
from .ratios import digits, without_none
from .tables import Table, as_name, nested, number, pivot, with_error

FORKS, DEEP = ("fib", None), ("uts_binomial", 3)
SECTION = "growth"
FEWEST = 4  # numbers of workers: a curve with three parameters goes through any three points
NEAREST = "libfork-lazy"  # to nopal: also a continuation stealer whose idle workers sleep
# Table II: the exponent and its error. By the number of a tree; the sizes of others need not be
# those that were published.
PUBLISHED = {
    "fib": (0.86, 0.08), "integrate": (0.96, 0.10), "matmul": (0.88, 0.08), "nqueens": (0.94, 0.03),
    "uts_geometric(2)": (1.06, 0.05), "uts_geometric(3)": (1.08, 0.05),
    "uts_geometric(4)": (0.86, 0.10), "uts_binomial(2)": (0.83, 0.05),
    "uts_binomial(3)": (0.43, 0.03), "uts_binomial(4)": (0.38, 0.01)}


def cases(workloads):
    """Of those that were measured with more workers than CPUs. mb: {workers: MB}, the peak of the
    process; n, error: of the fit to it, where the memory determines n."""
    need_packages("numpy", "scipy")
    found = []
    for workload in workloads:
        above = workload.oversubscribed().keys()
        for label, sizes in by_workers(workload.results).items():
            if above & sizes.keys():
                _, n, error = fit(sizes) or (None, None, None)
                found.append(without_none({
                    "label": f"{workload.title} {label}",
                    "mb": {str(p): digits(mb) for p, mb in sorted(sizes.items())},
                    "n": digits(n), "error": digits(error)}))
    return found


def fit(megabytes):
    """MRSS = a + b M_1 P^n, fitted to {workers: MB}: (the curve, n, the error of n); the last two
    None where the data hardly determine n. None where the fit does not converge, or there is too
    little to fit."""
    import numpy as np  # here: tables are written and checked without them
    from scipy.optimize import OptimizeWarning, curve_fit
    if len(megabytes) < FEWEST or 1 not in megabytes:
        return None
    m1 = megabytes[1]

    def model(p, a, b, n):
        return a + b * m1 * np.asarray(p, dtype=float) ** n

    p, y = (np.array(v, dtype=float) for v in (list(megabytes), list(megabytes.values())))
    try:
        with warnings.catch_warnings():
            # that the covariance is unknown shows in it
            warnings.simplefilter("ignore", OptimizeWarning)
            found, covariance = curve_fit(model, p, y, p0=(m1 / 2, 0.5, 1.0),
                                          bounds=((0, 0, 0), (np.inf, np.inf, 4)), max_nfev=10_000)
    except RuntimeError:
        return None
    n, error = float(found[2]), float(np.sqrt(covariance[2, 2]))
    # without growth any n does, with b = 0, or n = 0 with any b
    determined = np.ptp(y) > 0 and n > 1e-6 and error < 1
    return (lambda p: model(p, *found), *((n, error) if determined else (None, None)))


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
    names = [f"{section.title}, MB" for section in (forks, deep)]
    if committed.machine(forks) != committed.machine(deep):
        names = [f"{name} ({committed.machine(section)})"
                 for name, section in zip(names, (forks, deep))]
    return Table(["two workers", *names, "whole process, MB", "s"], rows)


def growth(committed):
    """The exponent of memory over workers, beside that of the nearest peer that was published."""
    cases = [(*c["label"].split(" "), c) for c in committed.section(SECTION).cases]
    published = ((title, PUBLISHED.get(title) or PUBLISHED.get(title.split("(")[0]))
                 for title in dict.fromkeys(title for title, _, _ in cases))
    return pivot("n", [*((title, label, _exponent(c)) for title, label, c in cases),
                       *((title, f"{NEAREST}, published", known and with_error(*known))
                         for title, known in published)], lambda cell: cell or number(None))


def _exponent(case):
    """n, and the memory of one worker and of the most."""
    sizes = [case["mb"][p] for p in sorted(case["mb"], key=int)]
    memory = f"({number(sizes[0])} to {number(sizes[-1])} MB)"
    return f"{with_error(case['n'], case['error'])} {memory}" if "n" in case else f"– {memory}"


def growth_charts(committed):
    """Memory against workers, with the fit to it."""
    section = committed.find(SECTION)
    found = nested((*c["label"].split(" "), {int(p): mb for p, mb in c["mb"].items()})
                   for c in (section.cases if section else ()))
    for title, sizes in found.items():
        fits = {label: fitted[0] for label, of in sizes.items() if (fitted := fit(of))}
        yield Lines(f"memory-{as_name(title)}", f"{title}: points are measured, lines the fit.",
                    "workers P", f"MRSS of {title}, MB", sizes, cpus=(section.cpus, section.cpus),
                    fits=fits,
                    libraries={label: committed.library(label) for label in sizes
                               if label in committed.variants and not label.startswith("nopal")})
