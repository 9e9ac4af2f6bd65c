# SPDX-License-Identifier: Apache-2.0
"""cachegrind.py PROGRAM WORKLOAD SHARE SHARE: what a thread reads and writes, and what misses the
caches that cachegrind simulates: of the first share, less those of the second. Prints a line of
JSON."""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

NOT_POSSIBLE_HERE = 3
EVENTS = {"Dr": "reads", "Dw": "writes", "D1mr": "first_level", "D1mw": "first_level",
          "DLmr": "last_level", "DLmw": "last_level"}


def parsed(text):
    """The totals of cachegrind's file: reads, writes, and misses of both kinds."""
    lines = text.splitlines()
    events = next(line for line in lines if line.startswith("events:")).split()[1:]
    values = next(line for line in lines if line.startswith("summary:")).split()[1:]
    found = dict.fromkeys(EVENTS.values(), 0)
    for event, value in zip(events, values):
        if event in EVENTS:
            found[EVENTS[event]] += int(value)
    return found


def run(program, workload, share):
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        done = subprocess.run(["valgrind", "--tool=cachegrind", "--cache-sim=yes", "-q",
                               f"--cachegrind-out-file={out}", program, workload, "1", share],
                              stdout=subprocess.PIPE, text=True, check=True)
        return json.loads(done.stdout), parsed(out.read_text())


def main():
    program, workload, *shares = sys.argv[1:]
    if shutil.which("valgrind") is None:
        print("valgrind not found", file=sys.stderr)
        return NOT_POSSIBLE_HERE
    (record, more), (_, less) = (run(program, workload, share) for share in shares)
    print(json.dumps({**record, "misses": {key: more[key] - less[key] for key in more}}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
