# SPDX-License-Identifier: Apache-2.0
"""In place of the programs that are measured: a build directory that lists some of them, and
records with all that any of them says, drawn from what is measured."""

import json
import os
import random

LOCKED = ("nopal-locked", "nopal-the", "nopal-the-locked", "nopal-abp", "nopal-fenced")
SIZES = {"smoke": 20, "quick": 36, "paper": 42}
OTHER_SIZES = {"master": {"smoke": 1, "quick": 100, "paper": 1000},
               "uts_binomial": {"smoke": 1, "quick": 2, "paper": 3}}
# Family -> its variants, each a workload and a name.
FAMILIES = {
    "serial": ("fib serial", "lu serial", "loop serial", "master serial",
               "uts_binomial serial"),
    "serial-llvm": ("fib serial-llvm",),
    "nopal": ("fib nopal-invoke", "fib nopal-frame", "lu nopal-frame", "loop nopal-frame",
              "master nopal-frame", "spawn nopal-scope", "uts_binomial nopal-frame"),
    "nopal-llvm": ("fib nopal-llvm-invoke",),
    "tbb": ("fib tbb-invoke", "fib tbb-group", "lu tbb-invoke", "spawn tbb-group",
            "uts_binomial tbb-group"),
    "openmp-llvm": ("fib openmp-llvm",),
    "rust": ("fib rayon", "fib chili"),
    "space": ("fib space-invoke", "fib space-frame", "lu space-frame", "uts_binomial space-frame"),
    "space-mapped": ("fib space-mapped-invoke", "fib space-mapped-frame"),
    "nopal-mapped": ("fib nopal-mapped-invoke", "fib nopal-mapped-frame"),
    "nopal-child": ("fib nopal-child-frame", "master nopal-child-frame"),
    "stacks": ("fib stacks-invoke", "fib stacks-frame"),
    "stacks-pages": ("fib stacks-pages-invoke", "fib stacks-pages-frame"),
    **{family: (f"fib {family}-frame",) for family in LOCKED},
}
MICROS = ("fork_price", "call_price", "reducer_price", "steal_latency", "signal_latency", "wakeup_latency",
          "idle_cpu", "stack_cache")
CHUNKS = {"salsa": 1000, "salsa-cas": 1000, "concurrent-bag": 128, "ms-queue": None,
          "salsa-unbalanced": 1000, "moodycamel": None, "mutex-deque": None}
STM = ("inline", "table-20", "libitm", "mutex", "serial", "inline-counted", "table-20-counted")
ALGORITHMS = ("sort-u64-random std", "sort-u64-random nopal", "sort-u64-random ips4o",
              "sort-u64-few nopal", "sort-string-few nopal", "sort-string-random nopal",
              "sort-string-random std", "group_by-pair-few nopal")
MACHINE = {"cpu": "A CPU", "processor": "25/97", "cpus": 2, "hypervisor": True, "memory": "16 GB",
           "kernel": "Linux 6.1", "system": "Debian GNU/Linux 12", "load_average": [0.5, 0.4, 0.3]}


def build_in(folder):
    """A build directory. Its programs can be listed and not be run."""
    bench = folder / "bench"
    bench.mkdir()

    def program(name, listed=()):
        (bench / name).write_text(f"#!/bin/sh\necho '{json.dumps(listed)}'\n")
        (bench / name).chmod(0o755)
        return name

    families = {family: {"executable": program(family, [
        {"workload": workload, "variant": name, "parallel": not family.startswith("serial"),
         "sizes": OTHER_SIZES.get(workload, SIZES)}
        for workload, name in (variant.split(" ") for variant in variants)])}
        for family, variants in FAMILIES.items()}
    pool = program("pool", [{"variant": v, "chunk": chunk} for v, chunk in CHUNKS.items()])
    algorithms = program("algorithm", [
        {"workload": workload, "variant": name, "parallel": name != "std"}
        for workload, name in (variant.split(" ") for variant in ALGORITHMS)])
    (bench / "peers.json").write_text(json.dumps({
        "families": {**families, "libfork": {"absent": "it is off"}},
        "micros": {name: program(f"micro-{name}") for name in MICROS},
        "pool": {"executable": pool, "counted": program("counted"),
                 "absent": {"boost-queue": "no Boost"}},
        "algorithm": {"executable": algorithms, "rust": "rust", "absent": {"rust": "no cargo"}}}))
    for name in STM:
        program(f"nopal-bench-stm-{name}")
    return folder


def record_of(label, workers, number=0, command=(), environment=None):
    """The record of a measurement, without its round. It depends on what would be run, and on the
    label only where that is all there is."""
    told = " ".join(map(os.path.basename, command)) or label
    drawn = random.Random(f"{environment or {}} {told} {workers} {number}")

    def some(least, most):
        return round(least + (most - least) * drawn.random(), 3)

    def quantiles():
        return dict(zip(("p10", "median", "p90"), sorted(some(10, 90) for _ in range(3))))

    options = dict(zip(command, command[1:]))
    seconds, variant = some(1, 9), options.get("--variant", label)
    peer = next((peer for start, peer in (
        ("serial", "none"), ("tbb", "oneTBB"), ("openmp", "OpenMP, libomp"), ("rayon", "rayon"),
        ("chili", "chili")) if variant.startswith(start)), "nopal")
    compiler = ("rustc 1.95.0" if peer in ("rayon", "chili") else
                "clang 19.1.7" if "llvm" in variant else "g++ 12.2.0")
    return {
        "label": label, "workers": workers, "workload": options.get("--workload", ""),
        "n": int(options.get("--n", 28)), "seconds": [seconds], "warm_up_seconds": some(1, 9),
        "wall_seconds": seconds, "cpu_seconds": [some(1, 9)],
        "peak_rss_bytes": int(some(5e6, 9e6)), "rss_before_workers_bytes": int(some(1e6, 4e6)),
        "usage": {"minor_page_faults": int(some(1, 99))}, "peer": {"name": peer, "version": "1.2"},
        "build": {"compiler": compiler, "flags": "-O3"}, "oversubscribed": workers > 2,
        # One program never has a stack for each worker.
        "runtime": {"calls": 4, "stack_pages": int(some(30, 90)), "heap_pages": int(some(300, 900)),
                    "fork_depth": int(some(10, 50)), "steals_within_package": int(some(1, 50)),
                    "peak_stacks_in_use": 1 if variant == "space-mapped-invoke" else workers,
                    "total": {key: int(some(50, 500))
                              for key in ("steals", "suspensions", "unmaps")}},
        "memory_pages": {"before_workers": int(some(1, 99)), "at_end": int(some(100, 200))},
        "tasks_per_second": [1e6 * some(1, 99)], "memory_nodes": 1,
        "repetitions": [{"put": 1000, "compare_and_swaps": int(some(100, 900))}],
        "commits": 10, "conflicts": int(some(1, 9)), "read_set": some(5, 50),
        "read_sets": [0] * int(some(1, 40)) + [7] + [0] * 600 + [3],
        "misses": {"reads": 900, "writes": 100, "first_level": int(some(50, 99)), "last_level": 9},
        "invoke_by_serial": quantiles(), "frame_by_serial": quantiles(),
        "invoke": {"nanoseconds": quantiles()}, "frame": {"nanoseconds": None},
        "nanoseconds": quantiles(), "nanoseconds_to_return": None, "signal": quantiles(),
        "signal_and_end": quantiles(), "cpu_percent": some(0.01, 0.9),
        "lists": {"nanoseconds": quantiles()}, "bitmap": {"nanoseconds": quantiles()},
        "result": 7, "requests_per_second": some(1e4, 9e4), "microseconds": {"p99": some(100, 900)},
        "server_cpu_seconds": some(1, 9), "requests": 1000, "server_rss_bytes": int(some(1e6, 9e6)),
        "nothing": {"nanoseconds": quantiles()}, "two_closures": {"nanoseconds": quantiles()},
        "for_each_1000": {"over_inside": quantiles()},
    }


def results(size="paper", **of_sections):
    """The content of a small results.json; a section may be replaced."""
    fib = [record_of(label, p, number, ("--n", "40")) | {"round": number} for number in (0, 1)
           for p in (1, 2) for label in ("serial", "nopal-invoke", "chili") if label != "serial"
           or p == 1]
    sections = {
        "fib": (40, fib),
        "loop": (7, [record_of("serial", 1) | {"round": 0},
                     {"label": "libfork-lazy", "workers": 2, "round": 0,
                      "failure": "killed by SIGSEGV"}]),
        "stacks-reclaim": (None, [record_of(f"fib invoke@{policy}", 2) | {"round": 0}
                                  for policy in ("none", "adaptive")]),
        "idle_cpu": (None, [record_of("idle_cpu", 2) | {"round": 0}]),
    } | of_sections
    return {"started": "2026-11-22T08:01:42+0000", "size": size, "machine": MACHINE,
            "command": "./run bench",
            "sections": [{"name": name, "n": n, "records": records}
                         for name, (n, records) in sections.items()]}
