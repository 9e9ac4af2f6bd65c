# SPDX-License-Identifier: Apache-2.0
"""A run from its sections to its files, whatever is measured."""

import json
import sys

from .budget import Budget
from .command_line import refuse, typed
from .journal import Journal, OtherPlan
from .measure import Effort, measure_section
from .progress import Progress


def journal_of(restart, out, sections):
    """The measurements that an earlier, interrupted run of the same has left, if any."""
    path = out / "journal.jsonl"
    if restart:
        path.unlink(missing_ok=True)
    asked = {"sections": [s.title for s in sections],
             "commands": [[job.command, job.environment] for s in sections for job in s.jobs]}
    try:
        journal = Journal(path, asked)
    except (OtherPlan, ValueError):
        refuse(f"{path} holds an interrupted run that measures something else: the same command "
               "line goes on with it, "
               "--restart forgets it, --out leaves it alone")
    if len(journal) > 0:
        print(f"going on with {path}: {len(journal)} measurements are there", file=sys.stderr)
    return journal


def measure_all(sections, journal, rounds, timeout, seconds=None, spread=None):
    """All records by section, until interrupted. seconds: that all may take."""
    budget = Budget(seconds, len(sections))
    progress = Progress(rounds * sum(len(s.jobs) for s in sections) - len(journal))
    measured = []
    try:
        for number, section in enumerate(sections):
            where = f"[{number + 1}/{len(sections)}] "
            effort = Effort(rounds, timeout, budget.next_section(), spread)
            measured.append((section, measure_section(section, effort, journal, progress, where)))
    except KeyboardInterrupt:
        progress.clear()
        print("interrupted: the table holds what was complete; the same command line goes on with "
              f"{journal.path}",
              file=sys.stderr)
    journal.close(complete=len(measured) == len(sections))
    return measured


def write(out, started, size, described, absent, measured, found, text, markdown):
    """results.json, table.txt and table.md."""
    document = {
        "started": started, "size": size, "command": typed(sys.argv), "machine": described,
        "absent": absent,
        "sections": [{"name": s.name, "n": s.n, "records": records} for s, records in measured],
        "targets": [{"what": t.what, "measured": t.measured, "must": t.must, "aim": t.aim,
                     "at_most": t.at_most,
                     "verdict": t.verdict} for t in found],
    }
    (out / "results.json").write_text(json.dumps(document, indent=1) + "\n")
    (out / "table.txt").write_text(text)
    (out / "table.md").write_text(markdown)
    print(text)
    print(f"written to {out}: results.json table.txt table.md")


def exit_status(measured, sections, found, check_targets):
    """A peer that takes too long is a finding; anything else that fails is a fault."""
    failed = any("failure" in r and not r.get("timed_out") and not r.get("skipped")
                 for _, records in measured for r in records)
    missed = check_targets and any(t.verdict == "MISSED" for t in found)
    return 1 if failed or missed or len(measured) < len(sections) else 0
