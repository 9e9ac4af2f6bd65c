#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kills ranks of a program that saves its work, at random, and starts it again on another number of
ranks, until it comes to its end; and so on, until so many have been killed. Each end must be right.
"""

import argparse
import pathlib
import random
import re
import subprocess
import sys
import tempfile

ALL_UNITS = 3 * 2048  # of mpi_saving


def run(mpiexec, program, file, ranks, victim, milliseconds):
    """Returns the exit status of a run and what it has said."""
    command = [mpiexec, "-n", str(ranks), program, str(file), str(victim), str(milliseconds)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, done.stdout + done.stderr


def units_of_end(status, said, file):
    """Returns how many units the last run of a program has run. Exits if it was not right."""
    right = re.search(r"^right, (\d+) units$", said, re.MULTILINE)
    if status != 0 or not right:
        sys.exit(f"a run ended with {status} that should have come to its end:\n{said}")
    if file.exists():
        sys.exit(f"{file} is still there after all has been done")
    return int(right[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("mpiexec")
    parser.add_argument("program")
    parser.add_argument("--kills", type=int, default=6, help="how many ranks (6)")
    parser.add_argument("--seed", type=int, default=1, help="of the random numbers (1)")
    options = parser.parse_args()
    draw = random.Random(options.seed)
    killed, ends, went_on = 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "saved"
        while killed < options.kills:
            ranks = draw.randint(1, 4)
            was_saved = file.exists()
            after = draw.randint(0, 400)
            status, said = run(options.mpiexec, options.program, file, ranks,
                               draw.randrange(ranks), after)
            if status != 0 and re.search(r"signal:? 9\b|SIGNAL: 9|EXIT CODE: 9", said):
                killed += 1
                continue
            units = units_of_end(status, said, file)
            ends += 1
            went_on += was_saved and units < ALL_UNITS
        units = units_of_end(*run(options.mpiexec, options.program, file, 2, -1, 0), file)
    if went_on == 0 and units == ALL_UNITS:
        sys.exit("no run has gone on from what was saved")
    print(f"{killed} killed, {ends + 1} right ends, {went_on} of these went on before the last")


if __name__ == "__main__":
    main()
