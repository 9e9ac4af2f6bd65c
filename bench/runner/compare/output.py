# SPDX-License-Identifier: Apache-2.0
"""A comparison as a table for people, and as JSON for programs."""

from dataclasses import asdict

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ..documents import titled
from ..tables import number
from .cases import FASTER, SAME, SLOWER, TOO_FEW

STYLES = {FASTER: "green", SLOWER: "red", SAME: "", TOO_FEW: "yellow"}
WIDE = 250  # more than any table takes: names are not cut, a narrow terminal wraps them


def print_table(a, b, comparison, bound, warnings):
    """Prints the cases, and what is to be said about them."""
    console = Console(highlight=False, soft_wrap=True, width=WIDE)
    console.print(f"A: {escape(str(a.path))} ({a.started})\nB: {escape(str(b.path))} "
                  f"({b.started})\n")
    for text in warnings:
        console.print(f"[yellow]warning:[/] {escape(text)}")
    if comparison.cases:
        console.print(_table(comparison.cases, bound))
    for here, there, keys in (("A", "B", comparison.only_a), ("B", "A", comparison.only_b)):
        for key, failure in keys.items():
            why = f"; in {there} it failed: {failure}" if failure else ""
            console.print(escape(f"only in {here}: {key}{why}"))
    if comparison.untimed:
        console.print("not compared, for they hold no times of a workload: "
                      f"{', '.join(comparison.untimed)}")
    console.print(_summary(comparison, bound))


def _table(cases, bound):
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("workload", "variant"):
        table.add_column(title, no_wrap=True)
    for title in ("P", "A, s", "B, s", "B/A", "95 %", "values"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    for c in cases:
        interval = "–" if c.low is None else f"{number(c.low)}..{number(c.high)}"
        verdict = f"{c.verdict}, beyond {bound:g}" if c.beyond(bound) else c.verdict
        table.add_row(escape(titled(c.key.section, c.key.n)), escape(c.key.label),
                      str(c.key.workers), number(c.a),
                      number(c.b), number(c.ratio), interval, f"{c.values[0]}, {c.values[1]}",
                      verdict,
                      style=STYLES[c.verdict])
    return table


def _summary(comparison, bound):
    cases = comparison.cases
    if not cases:
        return "no case is in both files"
    counts = [f"{sum(c.verdict == verdict for c in cases)} {verdict}"
              for verdict in (SLOWER, FASTER, SAME, TOO_FEW)]
    beyond = sum(c.beyond(bound) for c in cases)
    return f"\n{len(cases)} cases: {', '.join(counts)}; {beyond} slower beyond the bound {bound:g}"


def as_json(a, b, comparison, bound, warnings):
    """What print_table prints, for json.dumps."""
    return {
        "a": str(a.path), "b": str(b.path), "bound": bound, "warnings": warnings,
        "cases": [{**asdict(c.key), "seconds_a": c.a, "seconds_b": c.b, "ratio": c.ratio,
                   "low": c.low, "high": c.high,
                   "values_a": c.values[0], "values_b": c.values[1], "verdict": c.verdict,
                   "beyond_bound": c.beyond(bound)} for c in comparison.cases],
        "only_in_a": [{**asdict(key), "failure_in_b": why}
                      for key, why in comparison.only_a.items()],
        "only_in_b": [{**asdict(key), "failure_in_a": why}
                      for key, why in comparison.only_b.items()],
        "not_compared": comparison.untimed,
    }
