# SPDX-License-Identifier: Apache-2.0
"""From the command line to what is measured of algorithms: two programs, whose variants list
themselves."""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from subprocess import SubprocessError

from ..command_line import chosen, numbers, refuse
from ..measure import Job, Section
from ..programs import NotBuilt, listed_by, place

PREFIX = "algorithm-"
NOPAL, SERIAL = "nopal", "std"
# The serial algorithms, nopal's, the peers: the order of every table.
ORDER = (SERIAL, NOPAL, "std-par", "tbb", "openmp", "ips4o", "rust", "rayon", "rayon-any")
LONG_TYPE, ANY_ORDER = "u64", "random"  # in this order all types, of this type all orders


@dataclass(frozen=True)
class AlgorithmVariant:
    algorithm: str
    data: str  # u64-random
    name: str
    parallel: bool
    program: Path

    @property
    def workload(self):
        return f"{self.algorithm}-{self.data}"

    def command(self, workers, n, repetitions):
        return [str(self.program), "--workload", self.workload, "--variant", self.name, "--workers",
                str(workers), "--n", str(n), "--repetitions", str(repetitions)]


@dataclass(frozen=True)
class Algorithms:
    """All that a build directory offers."""

    variants: list
    absent: dict  # family -> why it is not there

    def names_of(self, part):
        return list(dict.fromkeys(getattr(v, part) for v in self.variants))


def find_algorithms(build):
    """The programs below a CMake build directory. Raises NotBuilt."""
    folder = Path(build) / "bench"
    how = f"cmake --build {build} --target nopal_bench"
    try:
        listed = json.loads((folder / "peers.json").read_text())["algorithm"]
    except (FileNotFoundError, KeyError):
        raise NotBuilt(f"{build} has no benchmark of algorithms: configure it with "
                       f"-DNOPAL_BUILD_BENCH=ON, then {how}") from None
    absent, variants = dict(listed["absent"]), []
    for family in ("executable", "rust"):
        program = folder / listed[family]
        if family in absent:
            continue
        if not os.access(program, os.X_OK):
            absent[family] = f"not built: {how}"
            continue
        try:
            variants += [AlgorithmVariant(*v["workload"].split("-", 1), v["variant"], v["parallel"],
                                          program) for v in listed_by(program)]
        except (SubprocessError, OSError) as error:
            absent[family] = f"does not start: {error}"
    if not any(v.name == NOPAL for v in variants):
        raise NotBuilt(f"the benchmark of algorithms in {build} has not been built: {how}")
    return Algorithms(sorted(variants, key=lambda v: place(v.name, ORDER)), absent)


def is_default(data):
    """Whether it is measured where nobody asks for data: not every order of every type."""
    return data.startswith(f"{LONG_TYPE}-") or data.endswith(f"-{ANY_ORDER}")


def plan(a, found):
    """The sections to measure: each is of an algorithm, of data and of a size."""
    algorithms = chosen(a.algorithm, found.names_of("algorithm"), "algorithm")
    names = found.names_of("data")
    data = [d for d in names if is_default(d)]
    if a.data is not None:
        data = names if a.data == "all" else chosen(a.data, names, "data")
    wanted = chosen(a.variant, found.names_of("name"), "variant")
    workers = sorted(set(numbers(a.workers, "--workers")))
    # A keyed algorithm has pairs alone: its orders are its data.
    sections = [Section(f"{PREFIX}{algorithm}-{of}-{n}", None, jobs)
                for algorithm in algorithms
                for of in _data_of(algorithm, data, found, a.data is None)
                for n in sorted(set(numbers(a.n, "--n")))
                if (jobs := list(_jobs(algorithm, of, n, workers, wanted, a, found)))]
    if not sections:
        refuse("nothing to measure: no variant has all of what is asked for")
    return sections


def _data_of(algorithm, data, found, is_free):
    own = dict.fromkeys(v.data for v in found.variants if v.algorithm == algorithm)
    few = is_free and not any(d.startswith(f"{LONG_TYPE}-") for d in own)
    return [d for d in own if few or d in data]


def _jobs(algorithm, data, n, workers, wanted, a, found):
    for p in workers:
        for v in found.variants:
            if (v.algorithm, v.data) == (algorithm, data) and v.name in wanted \
                    and (v.parallel or p == workers[0]):
                yield Job(v.name, p if v.parallel else 1,
                          v.command(p if v.parallel else 1, n, a.repetitions))
