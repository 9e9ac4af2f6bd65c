# SPDX-License-Identifier: Apache-2.0
"""One thing to measure: a variant under a load."""

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Load:
    variant: str
    producers: int
    consumers: int
    chunk: int | None = None  # None: the variant's own
    pinned: bool = True

    @property
    def threads(self):
        return self.producers + self.consumers

    @property
    def sides(self):
        return f"{self.producers}/{self.consumers}"

    @property
    def label(self):
        """As records are called."""
        chunk = "" if self.chunk is None else f" chunk {self.chunk}"
        return f"{self.variant} {self.sides}{chunk}{'' if self.pinned else ' not pinned'}"

    @property
    def key(self):
        """As Results wants it."""
        return self.label, self.threads

    def of(self, **other):
        """The same but for that."""
        return replace(self, **other)

    def command(self, program, seconds, repetitions):
        chunk = [] if self.chunk is None else ["--chunk", str(self.chunk)]
        return [str(program), "--variant", self.variant, "--producers", str(self.producers), "--consumers",
                str(self.consumers), *chunk, "--pinned" if self.pinned else "--not-pinned", "--seconds", f"{seconds:g}",
                "--repetitions", str(repetitions)]


def load_of(record):
    """What a record was measured under. Its label tells whether the chunk is the variant's own."""
    return Load(record["variant"], record["producers"], record["consumers"],
                record["chunk"] if " chunk " in record["label"] else None, record["pinned"])
