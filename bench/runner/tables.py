# SPDX-License-Identifier: Apache-2.0
"""Tables as text and as Markdown."""

from dataclasses import dataclass
from statistics import geometric_mean

from .ratios import Spread, space

SERIAL = "serial"
OWN = ("nopal-invoke", "nopal-frame", "nopal-task", "nopal-scope")


def number(value, digits=3):
    """Three significant digits, without an exponent where that is short."""
    if value is None:
        return "–"
    if value == 0:
        return "0"
    if abs(value) >= 1000:
        return f"{value:.0f}"
    return f"{value:#.{digits}g}".rstrip(".")


def spread(values):
    """2.19 (2.09..2.30), of a Spread or of [median, lowest, highest]; without the range where it is
    none."""
    if values is None:
        return number(None)
    median, low, high = values.as_list() if isinstance(values, Spread) else values
    return number(median) if low == high else f"{number(median)} ({number(low)}..{number(high)})"


@dataclass(frozen=True)
class Table:
    """A header and rows of cells, and text below them. As a string it is Markdown."""

    header: list
    rows: list
    note: str = ""

    def __str__(self):
        return as_markdown(self.header, self.rows) + (f"\n{self.note}" if self.note else "")


def pivot(corner, entries, cell=spread, means=False):
    """A Table of (row, column, value), rows and columns in the order in which they come; below
    them the geometric means of the medians if these are asked for."""
    entries = list(entries)
    columns = list(dict.fromkeys(column for _, column, _ in entries))
    found = {}
    for row, column, value in entries:
        found.setdefault(row, {})[column] = value
    rows = [[row, *(cell(of.get(column)) for column in columns)] for row, of in found.items()]
    if means:
        rows.append(["geometric mean", *(
            number(geometric_mean([of[column][0] for of in found.values() if of.get(column)]))
            for column in columns)])
    return Table([corner, *columns], rows)


def as_text(header, rows):
    widths = [max(len(str(r[i])) for r in [header, *rows]) for i in range(len(header))]
    lines = []
    for row in [header, *rows]:
        cells = [str(c).ljust(w) if i == 0 else str(c).rjust(w)
                 for i, (c, w) in enumerate(zip(row, widths))]
        lines.append("  ".join(cells).rstrip())
    lines.insert(1, "  ".join("-" * w for w in widths))
    return "\n".join(lines) + "\n"


def as_markdown(header, rows):
    def line(cells):
        return "| " + " | ".join(str(c).replace("|", "\\|") for c in cells) + " |\n"

    rule = "|---|" + "---:|" * (len(header) - 1) + "\n"
    return line(header) + rule + "".join(line(r) for r in rows)


def workload_table(results):
    """All variants of a workload: times, overhead over the serial program, speedup, and how nopal
    compares."""
    measured = {label for label, _ in results.keys()}
    own = [label for label in OWN if label in measured]
    header = ["variant", "P", "seconds, median (min..max)", "T_P/T_s", "T_1/T_P",
              *(f"by {label}" for label in own),
              "peak RSS, MB", "of that the workers', MB", "runs"]
    rows = []
    for label, workers in results.keys():
        seconds = results.seconds(label, workers)
        speedup = results.ratio((label, 1), (label, workers)) if workers > 1 else None
        rss, of_workers = results.peak_rss(label, workers), results.rss_of_workers(label, workers)
        rows.append([
            label, workers, spread(seconds),
            spread(results.ratio((label, workers), (SERIAL, 1))),
            spread(speedup),
            *(spread(results.ratio((label, workers), (of, workers))) for of in own),
            number(rss / 1e6 if rss else None),
            number(of_workers / 1e6 if of_workers is not None else None), seconds.count,
        ])
    return header, rows


def space_table(results):
    """Pages of stacks for each worker, S_P/P, beside the bound S_1 + D."""
    workers = sorted({p for _, p in results.keys() if p > 1})
    rows = []
    for found in space(results):
        rows.append([found.label, found.depth, found.serial,
                     *(number(found.each(p)) for p in workers), found.bound])
    return ["workload and front end", "D", "S_1", *(f"S_{p}/{p}" for p in workers), "S_1 + D"], rows


def micro_rows(name, results):
    """What a micro-measurement found: what, median of the rounds, unit, and the further
    quantiles."""
    records = results.good
    rows = []
    if not records:
        return rows

    def middle(path):
        values = []
        for r in records:
            for key in path:
                r = r[key] if r else None
            if r is not None:
                values.append(r)
        return sorted(values)[len(values) // 2] if values else None

    if name == "fork_price":
        for front_end in ("invoke", "frame"):
            values = (middle([f"{front_end}_by_serial", q]) for q in ("median", "p10", "p90"))
            rows.append([f"fib({records[0]['n']}), {front_end} over serial, in turns"]
                        + [number(v) for v in values]
                        + [len(records)])
    elif name == "idle_cpu":
        rows.append(["CPU of an idle runtime, % of one", number(middle(["cpu_percent"])), "", "",
                     len(records)])
    elif name == "wakeup_latency":
        for what, key in (("wake-up to first instruction, µs", "nanoseconds"),
                          ("run() of an empty closure on a sleeping runtime, µs",
                           "nanoseconds_to_return")):
            rows.append([what] + [number(v / 1e3 if v is not None else None)
                                  for v in (middle([key, q]) for q in ("median", "p10", "p90"))]
                        + [len(records)])
    elif name == "steal_latency":
        for front_end in ("invoke", "frame"):
            values = (middle([front_end, "nanoseconds", q]) for q in ("median", "p10", "p90"))
            rows.append([f"steal to first instruction, {front_end}, ns"]
                        + [number(v) for v in values] + [len(records)])
    elif name == "signal_latency":
        for signal in ("signal_and_end", "signal"):
            values = (middle([signal, q]) for q in ("median", "p10", "p90"))
            rows.append([f"{signal} to the waiter's first instruction, ns"]
                        + [number(v) for v in values] + [len(records)])
    return rows


MICRO_HEADER = ["what", "median", "p10", "p90", "runs"]
