# SPDX-License-Identifier: Apache-2.0
"""The programs that measure pools, and the variants that they have been built with."""

import json
import os
from dataclasses import dataclass
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
