# SPDX-License-Identifier: Apache-2.0
"""Time: how long all may take, and how it is written on a command line."""

import time

UNITS = {"s": 1, "m": 60, "h": 3600}


def seconds_in(text):
    """The seconds in 90, 90s, 10m or 1.5h.

    Raises ValueError, for people, if it is none of these or not greater than 0.
    """
    number, unit = (text[:-1], text[-1]) if text[-1:] in UNITS else (text, "s")
    try:
        value = float(number) * UNITS[unit]
    except ValueError:
        value = 0
    if not 0 < value < float("inf"):
        raise ValueError(f"'{text}' is no time greater than 0 such as 90s, 10m or 1.5h")
    return value


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
