# SPDX-License-Identifier: Apache-2.0
"""Echo servers: requests a second, and what they take."""

from .ratios import Spread, digits, without_none
from .tables import Table, number, spread

REFERENCE = "asio"


def cases(results):
    """requests: a second; over_reference: of those of Boost.Asio; p99_us, cpu_us and rss_mb:
    latency, the server's CPU time for a request, its memory."""
    found = []
    for label, threads in results.keys():
        records = results.records(label, threads)

        def of(value, records=records):
            return Spread.of(value(r) for r in records)

        found.append(without_none({
            "label": label, "workers": threads, "rounds": len(results.by_round(label, threads)),
            "requests": of(lambda r: r["requests_per_second"]),
            "over_reference": results.ratio((REFERENCE, threads), (label, threads)),
            "p99_us": digits(of(lambda r: r["microseconds"]["p99"]).median),
            "cpu_us": digits(of(lambda r: 1e6 * r["server_cpu_seconds"] / r["requests"]).median),
            "rss_mb": digits(of(lambda r: r["server_rss_bytes"] / 1e6).median),
        }))
    return found


def table(committed):
    """Requests a second of each server."""
    section = committed.section("echo")
    rows = [[c["label"], spread(c["requests"]), spread(c.get("over_reference")),
             number(c["p99_us"]), number(c["cpu_us"]), number(c["rss_mb"])]
            for c in sorted(section.cases, key=lambda c: -c["requests"][0])]
    return Table(["server", "requests a second", "over Boost.Asio", "p99, µs",
                        "CPU, µs a request", "RSS, MB"], rows)
