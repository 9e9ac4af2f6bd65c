# SPDX-License-Identifier: Apache-2.0
"""What has been measured so far, in memory and in a file, so that an interrupted run can go on."""

import json
from contextlib import suppress


class Journal:
    """Records by section. With a path they are kept in a file of one JSON value a line, of which
    the first says what is measured.

    Goes on with the file where it is there and of the same plan, and raises ValueError where it is
    of another.
    """

    def __init__(self, path=None, plan=None):
        self.path, self.records = path, {}
        lines = path.read_text().splitlines() if path and path.exists() else []
        if lines and json.loads(lines[0]) != plan:
            raise ValueError(f"{path} is of another plan")
        for line in lines[1:]:
            with suppress(ValueError):  # cut off
                section, record = json.loads(line)
                self.of(section).append(record)
        self.file = path and path.open("a")
        if not lines:
            self._write(json.dumps(plan))

    def of(self, section):
        """The list of a section's records."""
        return self.records.setdefault(section, [])

    def __len__(self):
        return sum(map(len, self.records.values()))

    def add(self, section, record):
        self.of(section).append(record)
        self._write("\n" + json.dumps([section, record]))  # the last line may have no end

    def _write(self, text):
        if self.file:
            self.file.write(text)
            self.file.flush()

    def close(self, complete):
        """`complete`: nothing is left to go on with."""
        self.file.close()
        if complete:
            self.path.unlink()
