# SPDX-License-Identifier: Apache-2.0
"""One process for each measurement, all variants of a section in turn, round after round.

Alternating is what makes ratios mean something on a noisy machine: what slows one round down slows all variants of that
round, and ratios are formed within rounds.
"""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field


@dataclass
class Job:
    """A measurement to repeat: `label` and `workers` name it in tables."""

    label: str
    workers: int
    command: list
    environment: dict = field(default_factory=dict)


@dataclass
class Section:
    """Jobs that are compared with each other."""

    name: str
    n: int | None
    jobs: list


class Budget:
    """Seconds that all may take, shared out over the sections still to come."""

    def __init__(self, seconds, sections):
        self.end = time.monotonic() + seconds if seconds else None
        self.sections_left = sections

    def next_section(self):
        """The moment at which the section that starts now should be over; None: no limit."""
        share = None
        if self.end is not None:
            now = time.monotonic()
            share = now + max(0.0, self.end - now) / max(1, self.sections_left)
        self.sections_left -= 1
        return share


class Progress:
    """One line that is overwritten, on a terminal only."""

    def __init__(self, stream=sys.stderr):
        self.stream = stream
        self.on = stream.isatty()

    def show(self, text):
        if self.on:
            self.stream.write(f"\r\033[K{text}")
            self.stream.flush()

    def clear(self):
        self.show("")


def run_process(job, timeout):
    """The record of one measurement, or one with the key "failure" that says what went wrong."""
    try:
        with subprocess.Popen(job.command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env={**os.environ, **job.environment}) as process:
            try:
                out, err = process.communicate(timeout=timeout)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
                return {"failure": f"not done within {timeout:.0f} s", "timed_out": True}
            except BaseException:
                process.kill()
                raise
    except OSError as error:
        return {"failure": str(error)}
    if process.returncode < 0:
        name = signal.Signals(-process.returncode).name
        return {"failure": f"killed by {name}: {err.strip()[-500:]}".removesuffix(": ")}
    if process.returncode != 0:
        return {"failure": err.strip()[-500:] or f"exit status {process.returncode}"}
    try:
        return json.loads(out.splitlines()[-1])
    except (ValueError, IndexError):
        return {"failure": f"no record in its output: {out.strip()[-200:]!r}"}


def measure_section(section, rounds, deadline, timeout, progress, where=""):
    """Runs a section's jobs in turn, `rounds` times, and returns all records with "label", "workers" and "round".

    The first round is run in any case; a further measurement is left out where it would not end before `deadline`, going
    by how long that job took before. A job that failed is not tried again.
    """
    records = []
    took = {}
    given_up = set()
    for number in range(rounds):
        for index, job in enumerate(section.jobs):
            if index in given_up:
                continue
            if number > 0 and deadline is not None and time.monotonic() + took[index] > deadline:
                continue
            progress.show(f"{where}{section.name} round {number + 1}/{rounds}: {job.label}, P = {job.workers}")
            begin = time.monotonic()
            record = run_process(job, timeout)
            took[index] = time.monotonic() - begin
            if "failure" in record:
                given_up.add(index)
                progress.clear()
                print(f"{section.name}, {job.label}, P = {job.workers}: {record['failure']}", file=sys.stderr)
            records.append({**record, "label": job.label, "workers": job.workers, "round": number,
                            "wall_seconds": took[index], "environment": job.environment})
    progress.clear()
    return records
