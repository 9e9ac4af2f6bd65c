# SPDX-License-Identifier: Apache-2.0
"""Tables of what was measured of transactions."""

from statistics import median

from ..ratios import Spread
from ..tables import Table, number, spread
from .plan import MISSES, PREFIX, READ_SETS
from .program import BASE

MARK = " *"  # more threads than CPUs
NOTE = "* more threads than CPUs"
BUCKET, LAST_BUCKET = 32, 512  # sizes of read-sets in one, and where the last begins


def table(name, results):
    """Of a section."""
    kind = name.removeprefix(PREFIX)
    if kind == READ_SETS:
        return _read_sets(results)
    return _misses(results) if kind == MISSES else _times(results)


def is_oversubscribed(records):
    return any(r["oversubscribed"] for r in records)


def _times(results):
    rows = []
    has_base = any(label == BASE for label, _ in results.keys())
    for label, threads in results.keys():
        records = results.records(label, threads)
        ratio = results.ratio((label, threads), (BASE, threads)) if label != BASE else None
        rows.append([label, f"{threads}{MARK if is_oversubscribed(records) else ''}",
                     spread(results.seconds(label, threads)),
                     *([spread(ratio)] if has_base else []),
                     spread(results.ratio((label, 1), (label, threads)) if threads > 1 else None),
                     number(median(s for r in records for s in r["cpu_seconds"])),
                     number(median(r["conflicts"] / len(r["seconds"]) for r in records)),
                     number(median(r["read_set"] for r in records)), len(records)])
    return Table(["variant", "threads", "seconds, median (min..max)",
                  *(["its time by inline's"] if has_base else []), "T_1/T_P", "CPU seconds",
                  "conflicts", "read-set", "runs"], rows)


def distribution(record):
    """Where buckets of sizes begin -> how many read-sets are in them."""
    found = {}
    for size, count in enumerate(record["read_sets"]):
        if count:
            bucket = min(size // BUCKET * BUCKET, LAST_BUCKET)
            found[bucket] = found.get(bucket, 0) + count
    return found


def _read_sets(results):
    found = {label: distribution(results.records(label, threads)[0])
             for label, threads in results.keys()}
    rows = [[f"{at} to {at + BUCKET - 1}" if at < LAST_BUCKET else f"{at} and more",
             *(d.get(at, 0) for d in found.values())]
            for at in sorted({at for d in found.values() for at in d})]
    return Table(["locations read", *(f"transactions, {label}" for label in found)], rows)


def miss_rates(records):
    """Per cent of reads and writes that miss the first level, and that miss all."""
    def share(key):
        return Spread.of(100 * r["misses"][key] / (r["misses"]["reads"] + r["misses"]["writes"])
                         for r in records)
    return share("first_level"), share("last_level")


def misses(results, workload, variant):
    """Of the first level; None where that was not counted."""
    found = [r["misses"]["first_level"] for r in results.records(f"{workload} {variant}", 1)]
    return median(found) if found else None


def _misses(results):
    rows = []
    for label, threads in results.keys():
        workload, variant = label.split(" ")
        base, own = misses(results, workload, BASE), misses(results, workload, variant)
        rows.append([workload, variant,
                     *map(spread, miss_rates(results.records(label, threads))), own,
                     number(base / own if variant != BASE and base else None)])
    return Table(["workload", "locks", "first level, % missed", "all levels, % missed",
                  "first-level misses", "inline's over it"], rows)
