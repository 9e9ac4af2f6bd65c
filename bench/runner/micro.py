# SPDX-License-Identifier: Apache-2.0
"""Micro-measurements: what each finds, and what nopal promises of it."""

from dataclasses import dataclass
from statistics import median_high

from .ratios import digits, without_none
from .tables import Table, number
from .targets import Target


@dataclass(frozen=True)
class Quantity:
    what: str  # {n} is the size of the record
    path: tuple  # where in a record its quantiles are, or the value alone
    must: float | None = None  # at most
    aim: float | None = None
    unit: float = 1  # in units of the record


STEAL = "steal to first instruction"
QUANTITIES = {
    "fork_price": (
        Quantity("fib({n}), invoke over serial, in turns", ("invoke_by_serial",), 2.5, 2.0),
        Quantity("fib({n}), frame over serial, in turns", ("frame_by_serial",), 3.2, 2.5)),
    "idle_cpu": (Quantity("CPU of an idle runtime, % of one", ("cpu_percent",), 0.5, 0.05),),
    "wakeup_latency": (
        Quantity("wake-up to first instruction, µs", ("nanoseconds",), None, 30, 1e3),
        Quantity("run() of an empty closure on a sleeping runtime, µs",
                 ("nanoseconds_to_return",), unit=1e3)),
    "steal_latency": tuple(Quantity(f"{STEAL}, {front_end}, ns", (front_end, "nanoseconds"), None,
                                    1000) for front_end in ("invoke", "frame")),
    "signal_latency": (
        Quantity("signal_and_end to the waiter's first instruction, ns", ("signal_and_end",), None,
                 100),
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


def targets(name, results):
    for quantity, case in zip(QUANTITIES.get(name, ()), cases(name, results)):
        if "median" in case and (quantity.must, quantity.aim) != (None, None):
            yield Target(f"{case['label']}, median", case["median"], quantity.must, quantity.aim,
                         True)
