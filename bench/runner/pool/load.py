# SPDX-License-Identifier: Apache-2.0
"""What a pool is put under: a variant, how many produce and consume, and what is special."""

from dataclasses import dataclass, replace

COUNTED = "counted"  # by the program that counts compare-and-swaps
# What is special -> options of the program, which else pins its threads.
OPTIONS = {"": ["--pinned"], COUNTED: ["--pinned"], "not pinned": ["--not-pinned"],
           **{kind: ["--pinned", f"--{kind.replace(' ', '-')}"]
              for kind in ("memory on one node", "producers alone", "stalled")}}


@dataclass(frozen=True)
class Load:
    variant: str
    producers: int
    consumers: int
    kind: str = ""  # as in OPTIONS, or a number such as chunk 16, or slow 64

    @property
    def threads(self):
        return self.producers + self.consumers

    @property
    def sides(self):
        return f"{self.producers}/{self.consumers}"

    @property
    def number(self):
        """Of chunk 16; None of any other kind."""
        word = self.kind.split(" ")[-1]
        return int(word) if word.isdecimal() else None

    @property
    def label(self):
        """As records are called: salsa 1/2 chunk 16."""
        return f"{self.variant} {self.sides} {self.kind}".rstrip()

    @staticmethod
    def parse(label):
        """The load of a label."""
        variant, sides, *kind = label.split(" ", 2)
        return Load(variant, *map(int, sides.split("/")), *kind)

    @property
    def key(self):
        """As Results wants it."""
        return self.label, self.threads

    def of(self, **other):
        """The same but for that."""
        return replace(self, **other)

    def command(self, program, seconds, repetitions):
        special = OPTIONS.get(self.kind) or [f"--{self.kind.split(' ')[0]}", str(self.number),
                                             "--pinned"]
        return [str(program.counted if self.kind == COUNTED else program.path),
                "--variant", self.variant, "--producers", str(self.producers),
                "--consumers", str(self.consumers), *special, "--seconds", f"{seconds:g}",
                "--repetitions", str(repetitions)]
