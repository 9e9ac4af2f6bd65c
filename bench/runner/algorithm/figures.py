# SPDX-License-Identifier: Apache-2.0
"""Algorithms: what is kept of the records, and what is shown of it."""

from statistics import geometric_mean, median

from ..ratios import Spread, megabytes, without_none
from ..tables import Table, number, spread
from .plan import NOPAL, PREFIX, SERIAL

NANOSECONDS = 1e9


def cases(results):
    """ns_an_element: of a call, by the elements that it has. over_std: the time by that of the
    serial algorithm. over_nopal: by that of nopal by as many workers."""
    return [without_none({
        "label": label, "workers": workers, "seconds": _seconds(results, label, workers),
        "ns_an_element": _nanoseconds(results, label, workers),
        "over_std": results.ratio((label, workers), (SERIAL, 1)) if label != SERIAL else None,
        "over_nopal": results.ratio((label, workers), (NOPAL, workers)) if label != NOPAL else None,
        "speedup": results.ratio((label, 1), (label, workers)) if workers > 1 else None,
        "rounds": len(results.by_round(label, workers)),
        "peak_mb": megabytes(results.peak_rss(label, workers))})
        for label, workers in results.keys()]


def _seconds(results, label, workers):
    """Of one call: a time is of several where they are short."""
    return Spread.of(s / r["runtime"]["calls"] for r in results.records(label, workers)
                     for s in r["seconds"])


def _nanoseconds(results, label, workers):
    return median(median(r["seconds"]) / r["runtime"]["calls"] / r["n"] * NANOSECONDS
                  for r in results.records(label, workers))


def disagreeing(results):
    """Variants whose result is none that most have; each program has checked its own as well."""
    said = [(r["label"], r["result"]) for r in results.good]
    found = [result for _, result in said]
    most = max(found, key=found.count, default=None)
    return list(dict.fromkeys(label for label, result in said if result != most))


def table(section):
    """All that was measured of one section."""
    return Table(
        ["variant", "P", "seconds, median (min..max)", "ns an element", "over std", "over nopal",
         "T_1/T_P", "peak RSS, MB", "runs"],
        [[c["label"], c["workers"], spread(c["seconds"]), number(c["ns_an_element"]),
          *(spread(c.get(key)) for key in ("over_std", "over_nopal", "speedup")),
          number(c["peak_mb"]), c["rounds"]] for c in section.cases])


def best_peers(sections):
    """Of each section the best peer, and how many times nopal's time that takes; below them the
    geometric mean of each algorithm."""
    rows, ratios = [], {}
    for section in sections:
        algorithm, of, how, n = section.name.removeprefix(PREFIX).split("-")
        for workers in sorted({c["workers"] for c in section.cases}):
            peers = {c["label"]: c["over_nopal"] for c in section.cases
                     if c["workers"] == workers and "over_nopal" in c}
            if peers:
                best = min(peers, key=lambda label: peers[label][0])
                rows.append([f"{algorithm} {of}-{how}", n, workers, best, spread(peers[best])])
                ratios.setdefault((algorithm, n, workers), []).append(peers[best][0])
    rows += [[f"{algorithm}, geometric mean of {len(of)}", n, workers, "",
              number(geometric_mean(of))]
             for (algorithm, n, workers), of in ratios.items() if len(of) > 1]
    return Table(["algorithm", "n", "P", "best peer", "its time by nopal's"], rows)
