# SPDX-License-Identifier: Apache-2.0
"""What has been measured so far, on disk, so that an interruption loses nothing."""

import json
import os


class OtherPlan(Exception):
    """The journal is of a run that measured something else."""


class Records:
    """What has been measured, by section."""

    def __init__(self):
        self.records = {}

    def of(self, section):
        """The list of a section's records."""
        return self.records.setdefault(section, [])

    def add(self, section, record):
        self.of(section).append(record)


class Journal(Records):
    """Records that are kept in a file of one JSON value a line; the first says what is measured.

    Goes on with the file where it is there and of the same plan, and raises OtherPlan where it is
    of another.
    """

    def __init__(self, path, plan):
        super().__init__()
        self.path = path
        lines = path.read_text().splitlines() if path.exists() else []
        if lines and json.loads(lines[0]) != plan:
            raise OtherPlan(path)
        for line in lines[1:]:
            try:
                entry = json.loads(line)
            except ValueError:
                break  # the last line, cut off
            self.of(entry["section"]).append(entry["record"])
        anew = path.with_suffix(".new")  # without what was cut off
        self.file = anew.open("w")
        self._write(plan)
        for section, records in self.records.items():
            for record in records:
                self._write({"section": section, "record": record})
        anew.replace(path)

    def _write(self, value):
        self.file.write(json.dumps(value) + "\n")
        self.file.flush()

    def __len__(self):
        return sum(len(records) for records in self.records.values())

    def add(self, section, record):
        super().add(section, record)
        self._write({"section": section, "record": record})

    def close(self, complete):
        """`complete`: nothing is left to go on with."""
        self.file.close()
        if complete:
            os.remove(self.path)
