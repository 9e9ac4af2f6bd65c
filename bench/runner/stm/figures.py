# SPDX-License-Identifier: Apache-2.0
"""Transactions: what is kept of the records, what is shown of it, and what nopal promises (Gidron
2012, chapter 2)."""

from statistics import median

from ..charts import Bars, Lines
from ..ratios import digits, megabytes, without_none
from ..tables import Table, nested, number, pivot, spread, with_machines
from .plan import (
    ATOMIC, BASE, GROUPS, MICRO, MISSES, ONE_VAR, ORDER, PREFIX, READ_SETS, TABLE, TRANSACTIONS)

MARK, NOTE = " *", "* more threads than CPUs"
BUCKET, LAST_BUCKET = 32, 512  # sizes of read-sets in one, and where the last begins
FAR, NEAR = MICRO["locality"]
LOADS = dict(zip((*MICRO["contention"], FAR, NEAR),
                 ("an integer for each", "one for all", "two lines", "one line")))
THREADS = (1, 2)  # of the documents' tables


# --- what is kept


def cases(section, results):
    """over_inline: the time by that of inline locks, of as many threads. In stm-locality over_near:
    the time of two lines by that of one. In stm-misses: per cent of reads and writes that miss, and
    misses of the first level. In stm-read-sets: the average size, and how many there are from each
    size on to the next."""
    made = {PREFIX + MISSES: _missed, PREFIX + READ_SETS: _sizes}.get(section, _timed)
    return [without_none({"label": label, "workers": workers,
                          "rounds": len({r["round"] for r in results.records(label, workers)}),
                          **made(results, label, workers)}) for label, workers in results.keys()]


def _over_table(results, label, value):
    """For a target: what inline locks have, by what the table of 2^20 has."""
    records = results.records(label.replace(BASE, TABLE), 1)
    is_compared = records and label.endswith(BASE)
    return value(results.records(label, 1)) / value(records) if is_compared else None


def _timed(results, label, workers):
    records, key = results.records(label, workers), (label, workers)
    return {"seconds": results.seconds(*key),
            "over_inline": results.ratio(key, (BASE, workers)) if label != BASE else None,
            "speedup": results.ratio((label, 1), key) if workers > 1 else None,
            "over_near": results.ratio(key, (NEAR, workers)) if label == FAR else None,
            "peak_mb": megabytes(results.peak_rss(label, workers)),
            "cpu_seconds": median(s for r in records for s in r["cpu_seconds"]),
            "conflicts": median(r["conflicts"] / len(r["seconds"]) for r in records)}


def _missed(results, label, workers):
    found = [r["misses"] for r in results.records(label, workers)]
    first, last = (digits(median(100 * m[key] / (m["reads"] + m["writes"]) for m in found))
                   for key in ("first_level", "last_level"))
    return {"first_level_percent": first, "last_level_percent": last,
            "misses": median(m["first_level"] for m in found),
            "over_table": _over_table(results, label, lambda records: median(
                r["misses"]["first_level"] for r in records))}


def _sizes(results, label, workers):
    record, found = results.records(label, workers)[0], {}
    for size, count in enumerate(record["read_sets"]):
        if count:
            bucket = str(min(size // BUCKET * BUCKET, LAST_BUCKET))
            found[bucket] = found.get(bucket, 0) + count
    return {"read_set": digits(record["read_set"]), "sizes": found,
            "over_table": _over_table(results, label, lambda records: records[0]["read_set"])}


# --- tables and pictures


def table(section):
    """All that was measured of one section, for whoever has just measured it."""
    kind = section.name.removeprefix(PREFIX)
    if kind in (MISSES, READ_SETS):
        return (_misses if kind == MISSES else _read_sets)(section)
    ratio = "over_near" if kind == "locality" else "over_inline"
    rows = [[c["label"], f"{c['workers']}{MARK if c['workers'] > section.cpus else ''}",
             spread(c["seconds"]), spread(c.get(ratio)), spread(c.get("speedup")),
             *(number(c.get(key)) for key in ("cpu_seconds", "conflicts", "peak_mb")), c["rounds"]]
            for c in section.cases]
    return Table(["variant", "threads", "seconds, median (min..max)", ratio.replace("_", " "),
                  "T_1/T_P", "CPU seconds", "conflicts", "peak RSS, MB", "runs"], rows)


def _sections(committed, names):
    """Those of the names that are there."""
    return [(name, section) for name in names if (section := committed.find(PREFIX + name))]


def of_variants(title, names, variants):
    """The table of several sections: the time of each variant, and by that of inline locks."""
    def table(committed):
        rows, sections = [], []
        for name, section in _sections(committed, names):
            for variant in variants:
                one, two = (section.case(variant, n) for n in THREADS)
                if one is not None:
                    sections.append(section)
                    rows.append([name, variant, *(spread(c and c.get(key)) for c in (one, two)
                                                  for key in ("seconds", "over_inline")),
                                 spread(two and two.get("speedup"))])
        header = [cell for n in THREADS for cell in (f"P = {n}, seconds", "by inline's")]
        return with_machines(committed, sections,
                             Table([title, "variant", *header, "T_1/T_2"], rows))
    return table


workloads = of_variants("workload", TRANSACTIONS, ORDER)
one_var = of_variants("four million increments", ONE_VAR, (*ORDER, ATOMIC))


def contention(committed):
    """Figure 2.1: how many times faster than one thread, if each has an integer, or all one."""
    return pivot("threads", ((c["workers"], LOADS[c["label"]], c["speedup"])
                             for c in committed.section(f"{PREFIX}contention").cases
                             if "speedup" in c))


def locality(committed):
    """Figure 2.2: two lines far from each other, by two words of one line."""
    if (found := committed.find(f"{PREFIX}locality")) is None:
        return ("Not measured since the reads depend on each other: `./run bench stm --workload "
                "locality`.\n")
    return pivot("threads", ((c["workers"], name, c[key]) for c in found.cases for key, name in (
        ("seconds", f"{LOADS[c['label']]}, seconds"), ("over_near", "two lines by one"))
        if key in c))


def _misses(section):
    base = {c["label"].split(" ")[0]: c["misses"] for c in section.cases
            if c["label"].endswith(f" {BASE}")}
    return Table(
        ["workload", "locks", "first level, % missed", "all levels, % missed",
         "first-level misses", "inline's by it"],
        [[workload, locks, number(c["first_level_percent"]), number(c["last_level_percent"]),
          c["misses"], number(base[workload] / c["misses"]
                              if locks != BASE and workload in base else None)]
         for c in section.cases for workload, locks in [c["label"].split(" ")]])


def _read_sets(section):
    return pivot("size of the read-set", (
        *(("average", c["label"], number(c["read_set"])) for c in section.cases),
        *((f"from {at}", c["label"], c["sizes"].get(str(at), 0))
          for at in _sizes_of(section) for c in section.cases)), str)


def _sizes_of(section):
    return sorted({int(at) for c in section.cases for at in c["sizes"]})


def charts(committed):
    """Figures 2.1, 2.2 and 2.4 to 2.6."""
    for group, names in GROUPS.items():
        curves = nested((name, c["workers"], c["over_inline"])
                        for name, section in _sections(committed, names)
                        for c in section.cases if c["label"] == TABLE and "over_inline" in c)
        if curves:
            yield Lines(f"stm-{group}", f"{group}: inline locks over a table of 2^20 (figures 2.4 "
                        "and 2.5).", "threads", "speedup", curves, line=1)
    for name, key, caption, y in (
            ("contention", "speedup", "Each thread an integer of its own, or all one (figure 2.1).",
             "speedup over one thread"),
            ("locality", "over_near", "Two lines far from each other by two words of a line "
             "(figure 2.2).", "time, far over near")):
        for _, section in _sections(committed, (name,)):
            yield Lines(f"stm-{name}", caption, "threads", y, nested(
                (LOADS[c["label"]], c["workers"], c[key]) for c in section.cases if key in c))
    for _, section in _sections(committed, (READ_SETS,)):
        yield Bars("stm-read-sets", "Sizes of read-sets in vacation-high, one thread (figure 2.6); "
                   "the last is of all that are larger.", "transactions",
                   {f"from {at}": {c["label"]: c["sizes"].get(str(at), 0) for c in section.cases}
                    for at in _sizes_of(section)})
