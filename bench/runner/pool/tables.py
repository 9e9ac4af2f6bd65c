# SPDX-License-Identifier: Apache-2.0
"""Tables of what was measured of the pool."""

from ..tables import number, spread
from .load import load_of

MARK = " *"  # more threads than CPUs
NOTE = "* more threads than CPUs"
ONE_NODE_NOTE = "this machine has one NUMA node: memory on one node is the same as anywhere"


def loads(results):
    """Load -> its records, in the order in which they were measured."""
    found = {}
    for r in results.good:
        found.setdefault(load_of(r), []).append(r)
    return found


def is_oversubscribed(records):
    return any(r["oversubscribed"] for r in records)


def has_one_node(records):
    """Whether it made no difference where the memory should be. Only those know that were asked to
    keep it on one node."""
    return any(r.get("memory_nodes") == 1 for r in records)


def table(figure, results):
    header = ["variant", "producers/consumers", *_extra_header(figure),
              f"{figure.quantity.heading}, median (min..max)",
              *([figure.compared] if figure.compared else []), "peak RSS, MB", "runs"]
    rows = []
    for load, records in loads(results).items():
        found = figure.quantity.of(records)
        rows.append([load.variant, load.sides + (MARK if is_oversubscribed(records) else ""),
                     *_extra(figure, load),
                     spread(found), *_compared(figure, load, results),
                     number(results.peak_rss(*load.key) / 1e6), found.count])
    return header, rows


def _compared(figure, load, results):
    if not figure.compared:
        return []
    reference = figure.reference(load)
    # The inverse of the times for a million tasks.
    return [spread(results.ratio(load.key, reference.key) if reference != load else None)]


def _extra_header(figure):
    return {"pinning": ["pinned", "memory"], "chunks": ["chunk"], "alone": ["producer alone"],
            "hindered": ["first consumer"]}.get(figure.name, [])


def _extra(figure, load):
    return {"pinning": ["yes" if load.pinned else "no",
                        "one node" if load.one_node else "anywhere"],
            "chunks": [load.chunk], "alone": ["yes" if load.producers_alone else "no"],
            "hindered": [load.hindrance]}.get(figure.name, [])
