# SPDX-License-Identifier: Apache-2.0
"""One line that says what is measured and how long it will still take."""

import sys
from datetime import timedelta


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
