#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures echo servers in turn: requests a second, latencies, and what idle connections take.

The servers are those that were built, nopal-bench-echo-NAME, and those that --server names: programs
that take a port and a number of threads, and end their first line with the port. Each round starts
each server anew. The client is a process of its own. Writes echo.json, echo.txt and echo.md.
"""

import argparse
import contextlib
import json
import resource
import subprocess
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True  # the source tree stays as it is
sys.path[:0] = [str(Path(__file__).resolve().parent.parent)]

from echo.check_server import Server, Wrong  # noqa: E402
from runner import machine, tables  # noqa: E402
from runner.command_line import refuse, typed  # noqa: E402
from runner.programs import default_build  # noqa: E402
from runner.ratios import Results, Spread  # noqa: E402
from runner.whole_run import NotAlone, alone  # noqa: E402

PREFIX, CLIENT = "nopal-bench-echo-", "nopal-bench-echo-client"
REFERENCE = "asio"
SPARE_DESCRIPTORS = 64
SAYS_NOTHING_BELOW = 0.5  # seconds


def parse(arguments):
    p = argparse.ArgumentParser(description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--build", metavar="DIR", type=Path, default=default_build(),
                   help="build directory (%(default)s)")
    p.add_argument("--server", metavar="NAME=PROGRAM", action="append", default=[],
                   help="one more server; may be given again")
    p.add_argument("--idle", type=int, default=10_000,
                   help="connections that say nothing (%(default)s)")
    p.add_argument("--busy", type=int, default=1000,
                   help="connections that ask without pause (%(default)s)")
    p.add_argument("--bytes", type=int, default=64, help="of a request (%(default)s)")
    p.add_argument("--seconds", type=float, default=5, help="to ask (%(default)s)")
    p.add_argument("--idle-seconds", type=float, default=2,
                   help="before, in which nobody asks (%(default)s)")
    p.add_argument("--rounds", type=int, default=3,
                   help="how often all take their turn (%(default)s)")
    p.add_argument("--threads", type=int, default=2, help="of each server (%(default)s)")
    p.add_argument("--out", metavar="DIR", type=Path, help="(BUILD/bench/results/echo)")
    a = p.parse_args(arguments)
    for name, least in (("idle", 0), ("busy", 1), ("bytes", 1), ("rounds", 1), ("threads", 1)):
        if getattr(a, name) < least:
            refuse(f"--{name} must be at least {least}, not {getattr(a, name)}")
    return a


def servers_of(a):
    """Name -> program."""
    found = {p.name.removeprefix(PREFIX): p for p in sorted((a.build / "bench").glob(PREFIX + "*"))
             if p.is_file() and not p.suffix and p.name != CLIENT}
    for named in a.server:
        name, equals, program = named.partition("=")
        if not equals or not Path(program).is_file():
            refuse(f"--server {named}: no NAME=PROGRAM of a program that is there")
        found[name] = Path(program)
    if not found or not (a.build / "bench" / CLIENT).exists():
        refuse(f"no echo servers in {a.build}: cmake --build {a.build} --target nopal_bench")
    return found


def allow_descriptors(count):
    """For the servers, which inherit the limit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < count:
        refuse(f"{count} descriptors are needed, and {hard} allowed (ulimit -Hn)")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, count), hard))


def measure(a, name, program, number):
    """One server, started for this, and one run of the client."""
    record = {"label": name, "workers": a.threads, "round": number}
    server = None
    try:
        server = Server([str(program), "0", str(a.threads)])
        client = subprocess.run(
            [a.build / "bench" / CLIENT, "--port", str(server.port), "--idle", str(a.idle),
             "--busy", str(a.busy), "--bytes", str(a.bytes), "--seconds", str(a.seconds),
             "--idle-seconds", str(a.idle_seconds), "--server", str(server.process.pid)],
            capture_output=True, text=True, timeout=120 + a.seconds + a.idle_seconds)
        if client.returncode != 0:
            return {**record, "failure": client.stderr.strip()}
        answer = json.loads(client.stdout)
        # What the ratios are formed of: the time for a request.
        return {**record, **answer, "seconds": [1 / answer["requests_per_second"]]}
    except (OSError, Wrong, subprocess.TimeoutExpired) as error:
        return {**record, "failure": str(error)}
    finally:
        if server is not None:
            server.end()


def table(names, results, threads):
    header = ["server", "requests/s, median (min..max)", f"over {REFERENCE}", "median, µs",
              "p99, µs", "CPU, µs a request", "RSS, MB", "idle CPU, %"]
    rows = []
    for name in names:
        records = results.records(name, threads)
        if not records:
            continue

        def of(value, records=records):
            return Spread.of(value(r) for r in records)

        rows.append([
            name, tables.spread(of(lambda r: r["requests_per_second"])),
            tables.spread(results.ratio((REFERENCE, threads), (name, threads))),
            tables.spread(of(lambda r: r["microseconds"]["median"])),
            tables.spread(of(lambda r: r["microseconds"]["p99"])),
            tables.number(of(lambda r: 1e6 * r["server_cpu_seconds"] / r["requests"]).median),
            tables.number(of(lambda r: r["server_rss_bytes"] / 1e6).median),
            tables.number(of(lambda r: r.get("idle_cpu_percent", 0)).median)])
    return tables.Table(header, rows)


def main(arguments=None):
    a = parse(arguments)
    servers = servers_of(a)
    allow_descriptors(a.idle + a.busy + SPARE_DESCRIPTORS)
    out = a.out or a.build / "bench" / "results" / "echo"
    out.mkdir(parents=True, exist_ok=True)
    described, started = machine.describe(), time.strftime("%Y-%m-%dT%H:%M:%S%z")
    try:
        with contextlib.nullcontext() if a.seconds < SAYS_NOTHING_BELOW else alone():
            records = [measure(a, name, program, number)
                       for number in range(a.rounds) for name, program in servers.items()]
    except NotAlone as error:
        print(error, file=sys.stderr)
        return 1

    results = Results(records)
    found = table(servers, results, a.threads)
    head = (f"{a.idle} idle and {a.busy} busy connections, {a.bytes} bytes, {a.threads} threads, "
            f"{a.rounds} rounds of {a.seconds:g} s in turn; the client takes CPU, too\n\n"
            f"{machine.summary(described)}\n")
    failures = "".join(f"FAILED: {r['label']}: {r['failure']}\n" for r in results.failures)
    (out / "echo.json").write_text(json.dumps(
        {"started": started, "size": f"{a.seconds:g} s", "command": f"python3 bench/echo/{typed(sys.argv)}",
         "machine": described, "sections": [{"name": "echo", "n": None, "records": records}]},
        indent=1) + "\n")
    text = f"{head}\n{found.as_text()}{failures}"
    (out / "echo.txt").write_text(text)
    (out / "echo.md").write_text(f"# Echo servers\n\n{head}\n{found}"
                                 f"{failures}")
    print(text)
    print(f"written to {out}: echo.json echo.txt echo.md")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
