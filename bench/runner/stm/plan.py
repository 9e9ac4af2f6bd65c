# SPDX-License-Identifier: Apache-2.0
"""From the command line to what is measured of transactions: one program for each variant, and some
with several."""

import os
import sys
from dataclasses import dataclass, field
from pathlib import Path

from ..command_line import chosen, numbers
from ..measure import Job, Section
from ..programs import NotBuilt, place

BASE, TABLE = "inline", "table-20"
# nopal's, then the peers: the order of every table.
OURS = (BASE, "inline-hash", "word", "table-16", TABLE, "table-25", "table-20-hash")
RUST = ("stm", "fast-stm")  # crates
LIBITM = {"libitm-ml_wt": "ml_wt", "libitm-gl_wt": "gl_wt"}
PEERS = (*LIBITM, *RUST, "mutex", "shared-mutex", "serial")
ORDER = (*OURS, *PEERS)
SERIAL, ATOMIC = "serial", "atomic"
PROGRAM, COUNTED = "nopal-bench-stm-", "-counted"
GROUPS = {
    "vacation": ("vacation-low", "vacation-high", "vacation-low+", "vacation-high+",
                 "vacation-low++", "vacation-high++"),
    "intruder": ("intruder", "intruder+", "intruder++"),
    "yada": ("yada", "yada+", "yada++"),
}
TRANSACTIONS = tuple(w for group in GROUPS.values() for w in group)
ONE_VAR = ("one-var-local", "one-var-shared")
# The two micro-benchmarks, without transactions: section -> the loads that it compares.
MICRO = {"contention": ("contention-local", "contention-shared"),
         "locality": ("locality-far", "locality-near")}
READ_SETS, MISSES = "read-sets", "misses"
PREFIX = "stm-"
SECTIONS = (*MICRO, *ONE_VAR, *TRANSACTIONS, READ_SETS, MISSES)
# Workload -> the shares whose difference is counted: what both do to begin with is in neither.
COUNTED_WORKLOADS = {"vacation-high": (10, 20), "intruder": (1, 2), "intruder+": (5, 10),
                     "yada": (1, 2), "yada+": (2, 4)}
COUNTED_MICRO = {"locality-far": (20, 40), "locality-near": (20, 40)}


@dataclass(frozen=True)
class StmProgram:
    path: Path
    first: tuple = ()  # arguments that come before all others
    environment: dict = field(default_factory=dict)

    def command(self, workload, threads, share):
        return [str(self.path), *self.first, workload, str(threads), str(share)]


def find_stm(build):
    """Variant -> its program, below a CMake build directory. Raises NotBuilt."""
    folder = Path(build) / "bench"
    found = {}
    for path in sorted(folder.glob(PROGRAM + "*")):
        name = path.name.removeprefix(PROGRAM)
        if name == "libitm":
            found.update({variant: StmProgram(path, (), {"ITM_DEFAULT_METHOD": method})
                          for variant, method in LIBITM.items()})
        elif os.access(path, os.X_OK) and path.is_file():
            found[name] = StmProgram(path)
    rust = folder / "rust-stm" / "release" / "nopal-bench-rust-stm"
    if os.access(rust, os.X_OK):
        found.update({crate: StmProgram(rust, (crate,)) for crate in RUST})
    if BASE not in found:
        raise NotBuilt(f"{build} has no benchmark of transactions: configure it with "
                       f"-DNOPAL_BUILD_BENCH=ON, then cmake --build {build} --target nopal_bench")
    return dict(sorted(found.items(), key=lambda item: place(item[0], ORDER)))


def plan(a, programs):
    """The sections to measure."""
    names = chosen(a.workload, SECTIONS, "workload")
    wanted = a.variant and chosen(a.variant, [v for v in programs if COUNTED not in v], "variant")
    threads = sorted(set(numbers(a.threads, "--threads")))
    sections = [Section(PREFIX + name, None, list(_jobs(name, wanted, threads, a.share, programs)))
                for name in names]
    return [s for s in sections if s.jobs]


def _jobs(name, wanted, threads, share, programs):
    if name in MICRO:
        yield from (Job(load, n, programs[SERIAL].command(load, n, share))
                    for n in threads for load in MICRO[name] if SERIAL in programs)
    elif name == READ_SETS:
        yield from (Job(v, 1, programs[v + COUNTED].command("vacation-high", 1, share))
                    for v in (BASE, TABLE) if v + COUNTED in programs)
    elif name == MISSES:
        yield from _misses(programs)
    else:
        for n in threads:
            for v, program in programs.items():
                if _takes_part(v, name, n) and (not wanted or v in wanted):
                    yield Job(v, n, program.command(name, n, share), program.environment)
            if name in ONE_VAR and SERIAL in programs:
                load = name.replace("var", "atomic")
                yield Job(ATOMIC, n, programs[SERIAL].command(load, n, share))


def _takes_part(variant, workload, threads):
    if COUNTED in variant or variant == SERIAL and (threads > 1 or workload in ONE_VAR):
        return False  # of an increment that nobody sees a compiler leaves nothing
    return workload in ONE_VAR or variant not in RUST


def _misses(programs):
    """A process under cachegrind is slow, and finds nearly the same each time."""
    script = str(Path(__file__).parent / "cachegrind.py")
    for workload, shares in {**COUNTED_WORKLOADS, **COUNTED_MICRO}.items():
        for v in (BASE,) if workload in COUNTED_MICRO else (BASE, TABLE):
            if v + COUNTED in programs:
                path = str(programs[v + COUNTED].path)
                yield Job(f"{workload} {v}", 1,
                          [sys.executable, script, path, workload, *map(str, shares)])
