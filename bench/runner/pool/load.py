# SPDX-License-Identifier: Apache-2.0
"""One thing to measure: a variant under a load."""

import re
from dataclasses import dataclass, replace

# Field, the value that is worth mentioning, how a label says so, and how the command line does.
MARKS = (("pinned", False, "not pinned", "--not-pinned"),
         ("one_node", True, "memory on one node", "--memory-on-one-node"),
         ("producers_alone", True, "producers alone", "--producers-alone"),
         ("stalled", True, "stalled", "--stalled"), ("counted", True, "counted", None))
NUMBERS = ("chunk", "slow")


@dataclass(frozen=True)
class Load:
    variant: str
    producers: int
    consumers: int
    chunk: int | None = None  # None: the variant's own
    slow: int | None = None  # steps of work of the first consumer for each element
    pinned: bool = True
    one_node: bool = False  # where the memory is
    producers_alone: bool = False  # no consumer runs on a producer's CPU
    stalled: bool = False  # the first consumer stops
    counted: bool = False  # by the program that counts compare-and-swaps

    @property
    def threads(self):
        return self.producers + self.consumers

    @property
    def sides(self):
        return f"{self.producers}/{self.consumers}"

    @property
    def more(self):
        """What else there is to say: chunk 16 not pinned."""
        return " ".join([*(f"{name} {value}" for name in NUMBERS if (value := getattr(self, name))),
                         *(text for name, value, text, _ in MARKS if getattr(self, name) == value)])

    @property
    def label(self):
        """As records are called: salsa 1/2 chunk 16."""
        return f"{self.variant} {self.sides} {self.more}".rstrip()

    @staticmethod
    def parse(label):
        """The load of a label."""
        variant, sides, *more = label.split(" ", 2)
        text = " ".join(more)
        return Load(variant, *map(int, sides.split("/")),
                    *(int(found[1]) if (found := re.search(rf"\b{name} (\d+)", text)) else None
                      for name in NUMBERS),
                    *(value == (mark in text) for _, value, mark, _ in MARKS))

    @property
    def key(self):
        """As Results wants it."""
        return self.label, self.threads

    def of(self, **other):
        """The same but for that."""
        return replace(self, **other)

    def command(self, program, seconds, repetitions):
        return [str(program.counted if self.counted else program.path), "--variant", self.variant,
                "--producers", str(self.producers), "--consumers", str(self.consumers),
                *(word for name in NUMBERS if (value := getattr(self, name))
                  for word in (f"--{name}", str(value))),
                *(["--pinned"] if self.pinned else []),
                *(option for name, value, _, option in MARKS
                  if option and getattr(self, name) == value),
                "--seconds", f"{seconds:g}", "--repetitions", str(repetitions)]
