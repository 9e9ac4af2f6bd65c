# SPDX-License-Identifier: Apache-2.0
"""Work that no function joins, and functions that are queued in place of their continuations."""

from ..tables import Table, number, spread

NUMBERS_OF_WORKERS = (1, 2)


def spawn(committed):
    """The time to spawn and join empty functions by each library, and over nopal's."""
    section = committed.section("spawn")
    labels = [label for label in section.labels if not label.startswith(("serial", "elision"))]
    found = {label: [section.case(label, p) for p in NUMBERS_OF_WORKERS] for label in labels}
    rows = [[label, committed.compiler(section, label),
             *(cell for c in cases
               for cell in (number(c and c["seconds"]),
                            spread(c and "over_nopal" in c and c["over_nopal"][1:] or None)))]
            for label, cases in sorted(found.items(),
                                       key=lambda entry: entry[1][0]["seconds"])]
    header = [cell for p in NUMBERS_OF_WORKERS for cell in (f"P = {p}, seconds", "over nopal")]
    return Table([f"{section.title}", "compiler", *header], rows)


def echo(committed):
    """Requests a second of each server."""
    section = committed.section("echo")
    rows = [[c["label"], spread(c["requests"]), spread(c.get("over_reference")),
             number(c["p99_us"]), number(c["cpu_us"]), number(c["rss_mb"])]
            for c in sorted(section.cases, key=lambda c: -c["requests"][0])]
    return Table(["server", "requests a second", "over Boost.Asio", "p99, µs",
                        "CPU, µs a request", "RSS, MB"], rows)
