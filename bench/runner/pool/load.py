# SPDX-License-Identifier: Apache-2.0
"""The program that measures pools, and what a pool is put under: a variant, how many produce and
consume, and what is special."""

import json
import os
from dataclasses import dataclass, replace
from pathlib import Path
from subprocess import SubprocessError

from ..programs import NotBuilt, listed_by, place

# nopal's, the best first, then the peers: the order of every table.
OURS = ("salsa", "salsa-cas", "concurrent-bag", "ms-queue", "lifo-stack")
UNBALANCED = ("salsa-unbalanced", "salsa-cas-unbalanced", "concurrent-bag-unbalanced")
PEERS = ("moodycamel", "tbb-queue", "boost-queue", "mutex-deque")
ORDER = (*OURS, *UNBALANCED, *PEERS)


@dataclass(frozen=True)
class PoolProgram:
    path: Path
    counted: Path  # the same of nopal alone, and not for time: it counts compare-and-swaps
    chunks: dict  # variant -> tasks in its chunks, None where it has no chunks
    absent: dict  # variant -> why it is not there

    @property
    def variants(self):
        return list(self.chunks)


def find_pool(build):
    """The program below a CMake build directory. Raises NotBuilt."""
    folder = Path(build) / "bench"
    how = f"cmake --build {build} --target nopal-bench-pool nopal-bench-pool-counted"
    try:
        listed = json.loads((folder / "peers.json").read_text())["pool"]
        path, counted = folder / listed["executable"], folder / listed["counted"]
    except (FileNotFoundError, KeyError):
        raise NotBuilt(f"{build} has no benchmark of the pool: configure it with "
                       f"-DNOPAL_BUILD_BENCH=ON, then {how}") from None
    if not all(os.access(p, os.X_OK) for p in (path, counted)):
        raise NotBuilt(f"the benchmark of the pool in {build} has not been built: {how}")
    try:
        variants = sorted(listed_by(path), key=lambda v: place(v["variant"], ORDER))
    except (SubprocessError, OSError) as error:
        raise NotBuilt(f"{path} does not start: {error}") from None
    return PoolProgram(path, counted, {v["variant"]: v["chunk"] for v in variants},
                       listed["absent"])


COUNTED = "counted"  # by the program that counts compare-and-swaps
# What is special -> options of the program, which else pins its threads.
OPTIONS = {"": ["--pinned"], COUNTED: ["--pinned"], "not pinned": ["--not-pinned"],
           **{kind: ["--pinned", f"--{kind.replace(' ', '-')}"]
              for kind in ("memory on one node", "producers alone", "stalled")}}


@dataclass(frozen=True)
class Load:
    variant: str
    producers: int
    consumers: int
    kind: str = ""  # as in OPTIONS, or a number such as chunk 16, or slow 64

    @property
    def threads(self):
        return self.producers + self.consumers

    @property
    def sides(self):
        return f"{self.producers}/{self.consumers}"

    @property
    def number(self):
        """Of chunk 16; None of any other kind."""
        word = self.kind.split(" ")[-1]
        return int(word) if word.isdecimal() else None

    @property
    def label(self):
        """As records are called: salsa 1/2 chunk 16."""
        return f"{self.variant} {self.sides} {self.kind}".rstrip()

    @staticmethod
    def parse(label):
        """The load of a label."""
        variant, sides, *kind = label.split(" ", 2)
        return Load(variant, *map(int, sides.split("/")), *kind)

    @property
    def key(self):
        """As Results wants it."""
        return self.label, self.threads

    def of(self, **other):
        """The same but for that."""
        return replace(self, **other)

    def command(self, program, seconds, repetitions):
        special = OPTIONS.get(self.kind) or [f"--{self.kind.split(' ')[0]}", str(self.number),
                                             "--pinned"]
        return [str(program.counted if self.kind == COUNTED else program.path),
                "--variant", self.variant, "--producers", str(self.producers),
                "--consumers", str(self.consumers), *special, "--seconds", f"{seconds:g}",
                "--repetitions", str(repetitions)]
