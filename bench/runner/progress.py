# SPDX-License-Identifier: Apache-2.0
"""One line that says what is measured and how long it will still take."""

import sys


def duration(seconds):
    """Seconds as people say them."""
    seconds = round(seconds)
    if seconds < 60:
        return f"{seconds} s"
    if seconds < 3600:
        return f"{round(seconds / 60)} min"
    return f"{seconds // 3600} h {seconds % 3600 // 60} min"


class Progress:
    """One line that is overwritten, on a terminal only.

    What a measurement will take is what the same one took before; where it is the first, the mean
    of all before.
    """

    def __init__(self, measurements=0, stream=sys.stderr):
        self.left = measurements
        self.stream = stream
        self.on = stream.isatty()
        self.seconds = 0.0
        self.done = 0

    def show(self, text):
        if self.on:
            each = self.seconds / self.done if self.done else 0
            left = f", about {duration(self.left * each)} left" if self.done else ""
            self.stream.write(f"\r\033[K{text}{left}")
            self.stream.flush()

    def measured(self, seconds):
        """A measurement took so long."""
        self.seconds += seconds
        self.done += 1
        self.left = max(0, self.left - 1)

    def left_out(self, measurements):
        """So many will not be made."""
        self.left = max(0, self.left - measurements)

    def clear(self):
        if self.on:
            self.stream.write("\r\033[K")
            self.stream.flush()
