# SPDX-License-Identifier: Apache-2.0
"""A run from its sections to its files, whatever is measured."""

import contextlib
import fcntl
import json
import os
import sys
import tempfile
import time
from pathlib import Path

from . import machine, targets
from .command_line import refuse, typed
from .committed.distil import cases_of
from .committed.results import of_cases
from .journal import Journal, Progress
from .measure import Effort, measure_section
from .measured import Workload


class NotAlone(Exception):
    """Somebody else measures."""


@contextlib.contextmanager
def alone(folder=None):
    """Holds the lock that all measurements of this user on this machine share: two at once would
    measure each other. Raises NotAlone if another holds it."""
    path = Path(folder or tempfile.gettempdir()) / f"nopal-bench-{os.getuid()}.lock"
    with path.open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            raise NotAlone("another measurement is running (process "
                           f"{lock.read().strip() or 'unknown'}); "
                           "the two would measure each other: wait for its end") from None
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        yield


def journal_of(restart, out, sections):
    """The measurements that an earlier, interrupted run of the same has left, if any."""
    path = out / "journal.jsonl"
    if restart:
        path.unlink(missing_ok=True)
    asked = {"sections": [s.title for s in sections],
             "commands": [[job.command, job.environment] for s in sections for job in s.jobs]}
    try:
        journal = Journal(path, asked)
    except ValueError:
        refuse(f"{path} holds an interrupted run that measures something else: the same command "
               "line goes on with it, "
               "--restart forgets it, --out leaves it alone")
    if len(journal) > 0:
        print(f"going on with {path}: {len(journal)} measurements are there", file=sys.stderr)
    return journal


def measure_all(sections, journal, rounds, timeout, seconds=None, spread=None):
    """All records by section, until interrupted. seconds: that all may take; of what is left each
    section has the share of those still to come."""
    end = seconds and time.monotonic() + seconds
    progress = Progress(rounds * sum(len(s.jobs) for s in sections) - len(journal))
    measured = []
    try:
        for number, section in enumerate(sections):
            where = f"[{number + 1}/{len(sections)}] "
            now = time.monotonic()
            deadline = end and now + max(0, end - now) / (len(sections) - number)
            effort = Effort(rounds, timeout, deadline, spread)
            measured.append((section, measure_section(section, effort, journal, progress, where)))
    except KeyboardInterrupt:
        progress.clear()
        print("interrupted: the table holds what was complete; the same command line goes on with "
              f"{journal.path}",
              file=sys.stderr)
    journal.close(complete=len(measured) == len(sections))
    return measured


class Report:
    """Tables of what was measured, as text and as Markdown."""

    def __init__(self):
        self.parts, self.lines = [], []

    def add(self, title, table):
        self.parts += [(title, table)] if table.rows else []

    def text(self, head, is_markdown):
        """All parts below the head, then all lines."""
        heading, line = ("## ", "- ") if is_markdown else ("", "")
        parts = [f"{heading}{title}\n\n{table if is_markdown else table.as_text()}"
                 for title, table in self.parts]
        lines = "".join(f"{line}{said}\n" for said in self.lines)
        return "\n".join([f"{head}\n", *parts, lines])


def run(a, sections, fill, *, title, size, absent, is_smoke, rounds, spread=None):
    """Measures, writes results.json, table.txt and table.md, prints the table, and returns the exit
    status. fill: (Report, pairs of a section with its cases and of its Results) puts tables and
    lines into it."""
    a.out.mkdir(parents=True, exist_ok=True)  # now, and not after an hour of measuring
    described, started = machine.describe(), time.strftime("%Y-%m-%dT%H:%M:%S%z")
    try:
        with contextlib.nullcontext() if is_smoke else alone():
            measured = measure_all(sections, journal_of(a.restart, a.out, sections), rounds,
                                   a.timeout, a.budget, spread)
    except NotAlone as error:
        print(error, file=sys.stderr)
        return 1
    (a.out / "results.json").write_text(json.dumps({  # before anything can go wrong
        "started": started, "size": size, "command": typed(sys.argv), "machine": described,
        "absent": absent,
        "sections": [{"name": s.name, "n": s.n, "records": records} for s, records in measured],
    }, indent=1) + "\n")
    report, cpus = Report(), {"cpus": described["cpus"]}
    workloads = [Workload(section.name, section.n, [{**r, **cpus} for r in records])
                 for section, records in measured]
    told = [of_cases(w.name, cases_of(w), w.n) for w in workloads]
    fill(report, [(section, w.results) for section, w in zip(told, workloads)])
    found = list(targets.judged(told, size))
    nothing = ", but the size of a smoke test says nothing of speed" if is_smoke else ""
    report.add(f"targets{nothing}", targets.table(found))
    report.lines += [f"left out: {what}: {why}" for what, why in absent.items()]
    head = machine.summary(described)
    text, markdown = report.text(head, False), report.text(f"# {title}\n\n{head}", True)
    (a.out / "table.txt").write_text(text)
    (a.out / "table.md").write_text(markdown)
    print(text)
    print(f"written to {a.out}: results.json table.txt table.md")
    # A peer that takes too long is a finding; anything else that fails is a fault.
    failed = any("failure" in r and not r.get("timed_out") and not r.get("skipped")
                 for _, records in measured for r in records)
    missed = a.check_targets and any(t.verdict == "MISSED" for t in found)
    return 1 if failed or missed or len(measured) < len(sections) else 0
