# SPDX-License-Identifier: Apache-2.0
"""The programs that measure transactions: one for each variant, some with several."""

import os
from dataclasses import dataclass, field
from pathlib import Path

from ..programs import NotBuilt, place

BASE, TABLE = "inline", "table-20"
# nopal's, then the peers: the order of every table.
OURS = (BASE, "inline-hash", "word", "table-16", TABLE, "table-25", "table-20-hash")
RUST = ("stm", "fast-stm")  # crates
LIBITM = {"libitm-ml_wt": "ml_wt", "libitm-gl_wt": "gl_wt"}
PEERS = (*LIBITM, *RUST, "mutex", "shared-mutex", "serial")
ORDER = (*OURS, *PEERS)
SERIAL, ATOMIC = "serial", "atomic"
PREFIX, COUNTED = "nopal-bench-stm-", "-counted"


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
    for path in sorted(folder.glob(PREFIX + "*")):
        name = path.name.removeprefix(PREFIX)
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
