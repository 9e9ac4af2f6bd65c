# SPDX-License-Identifier: Apache-2.0
"""What has been measured so far, in memory and in a file, so that an interrupted run can go on; and
one line that says how far it is."""

import json
import sys
from contextlib import suppress
from datetime import timedelta


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


class Progress:
    """One line that is overwritten, on a terminal only. Each measurement that is left will take the
    mean of all before."""

    def __init__(self, measurements=0, stream=sys.stderr):
        self.left, self.stream = measurements, stream
        self.seconds, self.done = 0.0, 0

    def show(self, text):
        if self.done and text:
            left = timedelta(seconds=round(self.left * self.seconds / self.done))
            text += f", about {left} left"
        if self.stream.isatty():
            print(f"\r\033[K{text}", end="", file=self.stream, flush=True)

    def measured(self, seconds):
        """A measurement took so long."""
        self.seconds += seconds
        self.done += 1
        self.left -= 1

    def left_out(self, measurements):
        """So many will not be made."""
        self.left -= measurements

    def clear(self):
        self.show("")
