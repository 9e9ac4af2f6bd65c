# SPDX-License-Identifier: Apache-2.0
"""Tables of what was measured of the pool."""

from ..ratios import Spread
from ..tables import number, spread
from .load import load_of

MARK = " *"  # more threads than CPUs
NOTE = "* more threads than CPUs"


def loads(results):
    """Load -> its records, in the order in which they were measured."""
    found = {}
    for r in results.good:
        found.setdefault(load_of(r), []).append(r)
    return found


def throughput(records):
    """Million tasks a second."""
    return Spread.of(rate / 1e6 for r in records for rate in r["tasks_per_second"])


def is_oversubscribed(records):
    return any(r["oversubscribed"] for r in records)


def table(figure, results):
    header = ["variant", "producers/consumers", *_extra_header(figure), "million tasks/s, median (min..max)", figure.compared,
              "peak RSS, MB", "runs"]
    rows = []
    for load, records in loads(results).items():
        rate = throughput(records)
        reference = figure.reference(load)
        # The inverse of the times for a million tasks.
        ratio = results.ratio(load.key, reference.key) if reference != load else None
        rows.append([load.variant, load.sides + (MARK if is_oversubscribed(records) else ""), *_extra(figure, load),
                     spread(rate), spread(ratio), number(results.peak_rss(*load.key) / 1e6), rate.count])
    return header, rows


def _extra_header(figure):
    return {"pinning": ["pinned"], "chunks": ["chunk"]}.get(figure.name, [])


def _extra(figure, load):
    return {"pinning": ["yes" if load.pinned else "no"], "chunks": [load.chunk]}.get(figure.name, [])
