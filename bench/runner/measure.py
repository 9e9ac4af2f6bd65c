# SPDX-License-Identifier: Apache-2.0
"""One process for each measurement, all variants of a section in turn, round after round.

Alternating is what makes ratios mean something on a noisy machine: what slows one round down slows
all variants of that round, and ratios are formed within rounds.
"""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from statistics import median, quantiles

from .documents import Titled

NOT_POSSIBLE_HERE = 3  # exit status of a program whose problem does not fit this machine
SHORTEST_TIMEOUT = 10  # seconds that a process of the first round has, whatever the budget


@dataclass
class Job:
    """A measurement to repeat: `label` and `workers` name it in tables."""

    label: str
    workers: int
    command: list
    environment: dict = field(default_factory=dict)


@dataclass(frozen=True)
class Section(Titled):
    """Jobs that are compared with each other."""

    jobs: list


def run_process(job, timeout):
    """The record of one measurement, or one with the key "failure" that says what went wrong."""
    try:
        process = subprocess.run(job.command, capture_output=True, text=True, timeout=timeout,
                                 env={**os.environ, **job.environment})
    except subprocess.TimeoutExpired:
        return {"failure": f"not done within {timeout:.0f} s", "timed_out": True}
    except OSError as error:
        return {"failure": str(error)}
    out, err = process.stdout, process.stderr.strip()[-500:]
    if process.returncode < 0:
        name = signal.Signals(-process.returncode).name
        return {"failure": f"killed by {name}: {err}".removesuffix(": ")}
    if process.returncode == NOT_POSSIBLE_HERE:
        return {"failure": err, "skipped": True}
    if process.returncode != 0:
        return {"failure": err or f"exit status {process.returncode}"}
    try:
        return json.loads(out.splitlines()[-1])
    except (ValueError, IndexError):
        return {"failure": f"no record in its output: {out.strip()[-200:]!r}"}


@dataclass(frozen=True)
class Effort:
    """How often a section's jobs take their turn: until `deadline` or `rounds`, and not when times
    agree to `spread`."""

    rounds: int
    timeout: float
    deadline: float | None = None
    spread: float | None = None

    def is_too_late_for(self, seconds):
        return self.deadline is not None and time.monotonic() + seconds > self.deadline

    def timeout_at(self, now):
        """The seconds that a process that starts now may take."""
        if self.deadline is None:
            return self.timeout
        return min(self.timeout, max(SHORTEST_TIMEOUT, self.deadline - now))


def _is_settled(records, jobs, bound):
    """Whether the middle half of each job's times, of three rounds or more, lies within `bound` of
    the median."""
    by_job = {}
    for r in records:
        if "failure" not in r:
            by_job.setdefault((r["label"], r["workers"]),
                              []).append(median(r["seconds"]) if r.get("seconds") else None)
    if any(None in times or len(times) < 3 for times in by_job.values()):
        return False
    return all(q[2] - q[0] <= bound * q[1]
               for q in (quantiles(times, n=4, method="inclusive") for times in by_job.values()))


def measure_section(section, effort, journal, progress, where=""):
    """Runs a section's jobs in turn, and returns all records with "label", "workers" and "round".

    The first round is run in any case, a process of it ended where the deadline has passed; a
    further measurement is left out where it would not end before the deadline, going by how long
    that job took before. A job that failed is not tried again. What is in the journal is not
    measured again.
    """
    records = journal.of(section.title)
    done = {(r["label"], r["workers"], r["round"]): r for r in records}
    took = {}
    for number in range(effort.rounds):
        may_end = effort.spread is not None and number >= 3
        if may_end and _is_settled(records, section.jobs, effort.spread):
            progress.left_out((effort.rounds - number) * len(section.jobs))
            break
        for job in section.jobs:
            key = (job.label, job.workers)
            before = done.get((*key, number))
            if before is None:
                # failed, or too long
                if number > 0 and (took[key] is None or effort.is_too_late_for(took[key])):
                    progress.left_out(1)
                    continue
                progress.show(f"{where}{section.name} round {number + 1}/{effort.rounds}: "
                              f"{job.label}, P = {job.workers}")
                before = _measure(section, job, number, effort, journal, progress)
            took[key] = None if "failure" in before else before["wall_seconds"]
    progress.clear()
    return records


def _measure(section, job, number, effort, journal, progress):
    begin = time.monotonic()
    record = run_process(job, effort.timeout_at(begin))
    took = time.monotonic() - begin
    progress.measured(took)
    if "failure" in record:
        progress.clear()
        skipped = "skipped: " if record.get("skipped") else ""
        print(f"{section.name}, {job.label}, P = {job.workers}: {skipped}{record['failure']}",
              file=sys.stderr)
    record = {**record, "label": job.label, "workers": job.workers, "round": number,
              "wall_seconds": took,
              "environment": job.environment}
    journal.add(section.title, record)
    return record
