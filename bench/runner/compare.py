# SPDX-License-Identifier: Apache-2.0
"""Compares two documents of records case by case: which became faster, which slower, beyond the
noise."""

from statistics import median

import numpy as np

from .documents import timed, titled
from .tables import Table, number

FEWEST = 5  # values on each side; below, an interval says nothing
SEED, DRAWS = 1, 10_000  # of resampling: the same records give the same interval
QUANTILES = (0.025, 0.975)  # of 95 %
FASTER, SLOWER, SAME, TOO_FEW = "faster", "slower", "no change", "too few measurements to judge"
KEY = ("section", "n", "label", "workers")  # what makes two measurements comparable
MACHINE = {"cpu": "CPU", "processor": "processor", "cpus": "number of CPUs", "kernel": "kernel"}


def compare(a, b, bound):
    """What there is to say of two documents, for json.dumps: cases, worst first, with the ratio of
    the median time in B by that in A, and its 95 % interval; what only one has, and why the other
    has not. `bound`: how many times slower a case may be, noise taken off."""
    (times_a, failures_a), (times_b, failures_b) = map(_found, (a, b))
    cases = [_case(key, times_a[key], times_b[key], bound) for key in times_a if key in times_b]
    cases.sort(key=lambda c: (-c["ratio"], c["section"]))
    return {
        "a": str(a.path), "b": str(b.path), "bound": bound,
        "warnings": _warnings(a, b, cases), "cases": cases,
        "only_in_a": [{**_named(key), "failure_in_b": failures_b.get(key)}
                      for key in times_a if key not in times_b],
        "only_in_b": [{**_named(key), "failure_in_a": failures_a.get(key)}
                      for key in times_b if key not in times_a],
        "not_compared": sorted({s.name for document in (a, b) for s in document.sections
                                if s.records and not any(map(timed, s.records))})}


def as_text(found):
    """The same as a table for people, and what is to be said about it."""
    bound, cases = found["bound"], found["cases"]
    table = Table(["case", "A, s", "B, s", "B/A", "95 %", "values", "verdict"], [
        [_said(c), number(c["seconds_a"]), number(c["seconds_b"]), number(c["ratio"]),
         number(None) if c["low"] is None else f"{number(c['low'])}..{number(c['high'])}",
         f"{c['values_a']}, {c['values_b']}",
         c["verdict"] + (f", beyond {bound:g}" if c["beyond_bound"] else "")] for c in cases])
    lines = [f"A: {found['a']}", f"B: {found['b']}",
             *(f"warning: {text}" for text in found["warnings"]),
             *([table.as_text()] if cases else [])]
    for here, there in ("ab", "ba"):
        for key in found[f"only_in_{here}"]:
            why = key[f"failure_in_{there}"]
            lines.append(f"only in {here.upper()}: {_said(key)}"
                         + (f"; in {there.upper()} it failed: {why}" if why else ""))
    if found["not_compared"]:
        lines.append("not compared, for they hold no times of a workload: "
                     f"{', '.join(found['not_compared'])}")
    counts = ", ".join(f"{sum(c['verdict'] == verdict for c in cases)} {verdict}"
                       for verdict in (SLOWER, FASTER, SAME, TOO_FEW))
    lines.append(f"{len(cases)} cases: {counts}; {sum(c['beyond_bound'] for c in cases)} slower "
                 f"beyond the bound {bound:g}" if cases else "no case is in both files")
    return "\n".join(lines)


def _named(key):
    return dict(zip(KEY, key))


def _said(case):
    return f"{titled(case['section'], case['n'])} {case['label']}, P = {case['workers']}"


def _warnings(a, b, cases):
    """What differs besides the program: then the times tell less."""
    found = [f"{name} differs: {a.machine.get(key)} in A, {b.machine.get(key)} in B"
             for key, name in MACHINE.items() if a.machine.get(key) != b.machine.get(key)]
    builds = [{r["label"]: r["build"] for s in document.sections for r in s.records
               if "build" in r} for document in (a, b)]
    labels = {}  # mostly they all differ in the same
    for label, build in builds[0].items():
        for part in ("compiler", "flags"):
            sides = build.get(part), builds[1].get(label, build).get(part)
            if sides[0] != sides[1]:
                labels.setdefault((part, *sides), []).append(label)
    found += [f"{part} differs: {in_a} in A, {in_b} in B ({', '.join(of)})"
              for (part, in_a, in_b), of in labels.items()]
    # A serial program that changed says that the machine did, where nobody changed the program.
    return found + [f"the serial program itself is {c['verdict']}: {_said(c)}, B/A = "
                    f"{c['ratio']:.3g}; judge the others by that" for c in cases
                    if c["label"] == "serial" and c["verdict"] in (SLOWER, FASTER)]


def _found(document):
    """Key -> a list of processes, each the list of its times; and key -> why it failed. A section
    without a size, such as reclaim, has workloads of several."""
    times, failures = {}, {}
    for section in document.sections:
        for record in section.records:
            n = record.get("n") if section.n is None else section.n
            key = (section.name, n, record["label"], record["workers"])
            if timed(record):
                times.setdefault(key, []).append(record["seconds"])
            if "failure" in record:
                failures[key] = record["failure"]
    return times, failures


def _case(key, processes_a, processes_b, bound):
    values_a, values_b = ([s for seconds in processes for s in seconds]
                          for processes in (processes_a, processes_b))
    low, high = ((None, None) if min(len(values_a), len(values_b)) < FEWEST
                 else _interval(processes_b, processes_a))
    verdict = (TOO_FEW if low is None else SLOWER if low > 1 else FASTER if high < 1 else SAME)
    return {**_named(key), "seconds_a": median(values_a), "seconds_b": median(values_b),
            "ratio": median(values_b) / median(values_a), "low": low, "high": high,
            "values_a": len(values_a), "values_b": len(values_b), "verdict": verdict,
            "beyond_bound": verdict == SLOWER and low > bound}


def _interval(over, under):
    """The 95 % interval of median(over) / median(under); each is a list of processes, a process a
    list of values.

    Processes are drawn first, then values within each: repetitions within one process are more
    alike than processes are, and taken for independent they would make the interval too narrow.
    """
    generator = np.random.default_rng(SEED)
    ratios = _medians(over, generator) / _medians(under, generator)
    return tuple(map(float, np.quantile(ratios, QUANTILES)))


def _medians(processes, generator):
    lengths = np.array([len(values) for values in processes])
    longest = lengths.max()
    padded = np.array([list(values) + [0.0] * (longest - len(values)) for values in processes])
    chosen = generator.integers(len(processes), size=(DRAWS, len(processes)))
    positions = generator.random((DRAWS, len(processes), longest)) * lengths[chosen][:, :, None]
    drawn = padded[chosen[:, :, None], positions.astype(int)]
    return np.median(drawn.reshape(DRAWS, -1), axis=1)
