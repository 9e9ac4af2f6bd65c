# SPDX-License-Identifier: Apache-2.0
"""What has been built, and which variants it has."""

import json
import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


class NotBuilt(Exception):
    """A build directory without benchmarks."""


@dataclass(frozen=True)
class Variant:
    """One way to compute a workload: a library and how it is used."""

    workload: str
    name: str
    family: str
    program: Path
    parallel: bool
    sizes: dict = field(hash=False, compare=False)

    def command(self, workers, n, repetitions):
        return [str(self.program), "--workload", self.workload, "--variant", self.name, "--workers",
                str(workers),
                "--n", str(n), "--repetitions", str(repetitions)]


# Families of nopal that are for run_stacks.py alone; `space` is for run_bench.py, too.
LOCKED = ("nopal-locked", "nopal-the", "nopal-the-locked", "nopal-abp", "nopal-fenced")
STACKS = ("stacks", "stacks-pages")  # ways to keep a stack: for time, and for pages
APART = ("space", "space-mapped", "nopal-mapped", "nopal-child", *STACKS, *LOCKED)
# The order of every table: the baseline, nopal's programs, the peers.
ORDER = ("serial", "serial-all-calls", "serial-inlined", "serial-llvm", "elision", "nopal",
         "nopal-llvm")


def place(name, order):
    """For sorting: where a name stands in an order. What is not known there comes last."""
    return order.index(name) if name in order else len(order)


def listed_by(program):
    """What a program says that it can measure. Raises OSError, SubprocessError."""
    done = subprocess.run([program, "--list"], capture_output=True, text=True, check=True, timeout=60)
    return json.loads(done.stdout)


@dataclass
class Programs:
    """All that a build directory offers."""

    all: list  # variants
    micros: dict = field(default_factory=dict)  # name -> program
    absent: dict = field(default_factory=dict)  # family -> why it is not there

    def of(self, *families):
        return [v for v in self.all if v.family in families]

    @property
    def variants(self):
        """Of workloads, for time."""
        found = [v for v in self.all if v.family not in APART]
        return sorted(found, key=lambda v: place(v.family, ORDER))

    @property
    def workloads(self):
        return list(dict.fromkeys(v.workload for v in self.variants))

    @property
    def variant_names(self):
        return list(dict.fromkeys(v.name for v in self.variants))


def default_build():
    """The build directory where nobody names one."""
    candidates = [ROOT / "build" / name for name in ("bench", "release")]
    return next((c for c in candidates if (c / "bench" / "peers.json").exists()), candidates[0])


def find_programs(build):
    """The programs below a CMake build directory.

    Raises NotBuilt if it has none that measures a workload; what is missing is named in `absent`.
    """
    folder = Path(build) / "bench"
    try:
        listed = json.loads((folder / "peers.json").read_text())
    except FileNotFoundError:
        raise NotBuilt(f"{build} has no benchmarks: configure it with -DNOPAL_BUILD_BENCH=ON "
                       "and build the target nopal_bench") from None
    programs, not_built = Programs([]), f"not built: cmake --build {build} --target nopal_bench"
    for family, entry in listed["families"].items():
        if "absent" in entry:
            programs.absent[family] = entry["absent"]
            continue
        program = folder / entry["executable"]
        if not os.access(program, os.X_OK):
            programs.absent[family] = not_built
            continue
        try:
            listed_variants = listed_by(program)
        except (subprocess.SubprocessError, OSError) as error:
            programs.absent[family] = f"does not start: {error}"
            continue
        programs.all += [Variant(v["workload"], v["variant"], family, program, v["parallel"],
                                 v["sizes"]) for v in listed_variants]
    for name, executable in listed["micros"].items():
        program = folder / executable
        if os.access(program, os.X_OK):
            programs.micros[name] = program
        else:
            programs.absent[name] = not_built
    if not programs.variants:
        raise NotBuilt(f"no benchmark in {build} has been built: cmake --build {build} --target "
                       "nopal_bench")
    return programs
