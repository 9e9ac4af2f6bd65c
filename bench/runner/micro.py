# SPDX-License-Identifier: Apache-2.0
"""Micro-measurements: what each finds, and what nopal promises of it."""

from dataclasses import dataclass
from statistics import median_high

from .ratios import digits, without_none
from .tables import Table, number


@dataclass(frozen=True)
class Quantity:
    what: str  # {n} is the size of the record
    path: tuple  # where in a record its quantiles are, or the value alone
    unit: float = 1  # in units of the record


STEAL = "steal to first instruction"
QUANTITIES = {
    "fork_price": (
        Quantity("fib({n}), invoke over serial, in turns", ("invoke_by_serial",)),
        Quantity("fib({n}), frame over serial, in turns", ("frame_by_serial",))),
    "call_price": (
        Quantity("call from main that forks nothing, ns", ("nothing", "nanoseconds")),
        Quantity("call from main of two closures, ns", ("two_closures", "nanoseconds")),
        Quantity("for_each of 1,000 from main over inside run",
                 ("for_each_1000", "over_inside"))),
    "idle_cpu": (Quantity("CPU of an idle runtime, % of one", ("cpu_percent",)),),
    "wakeup_latency": (
        Quantity("wake-up to first instruction, µs", ("nanoseconds",), 1e3),
        Quantity("run() of an empty closure by a worker that sleeps, µs",
                 ("nanoseconds_to_return",), 1e3)),
    "steal_latency": tuple(Quantity(f"{STEAL}, {front_end}, ns", (front_end, "nanoseconds"))
                           for front_end in ("invoke", "frame")),
    "signal_latency": (
        Quantity("signal_and_end to the waiter's first instruction, ns", ("signal_and_end",)),
        Quantity("signal to the waiter's first instruction, ns", ("signal",))),
}


def _middle(quantity, records, key):
    """The median of the rounds of one quantile; None where no record has it."""
    values = []
    for value in records:
        for at in quantity.path:
            value = value[at] if value else None
        if isinstance(value, dict):
            value = value[key]
        elif key != "median":
            value = None
        values += [] if value is None else [value / quantity.unit]
    return median_high(values) if values else None


def cases(name, results):
    """Quantiles of what the label says."""
    records = results.good
    return [without_none({
        "label": quantity.what.format(n=records[0].get("n")),
        **{key: digits(_middle(quantity, records, key)) for key in ("median", "p10", "p90")},
        "rounds": len(records)}) for quantity in QUANTITIES.get(name, ()) if records]


def table(found):
    """Of the cases of several measurements."""
    return Table(["what", "median", "p10", "p90", "runs"],
                 [[c["label"], *(number(c.get(key)) for key in ("median", "p10", "p90")),
                   c["rounds"]] for c in found])
