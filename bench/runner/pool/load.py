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
    one_node: bool = False  # where the memory is
    producers_alone: bool = False  # no consumer runs on a producer's CPU
    slow: int = 0  # steps of work of the first consumer for each element
    stalled: bool = False  # the first consumer stops
    counted: bool = False  # by the program that counts compare-and-swaps

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
        more = ("" if self.pinned else " not pinned",
                " memory on one node" if self.one_node else "",
                " producers alone" if self.producers_alone else "",
                f" slow {self.slow}" if self.slow else "", " stalled" if self.stalled else "",
                " counted" if self.counted else "")
        return f"{self.variant} {self.sides}{chunk}{''.join(more)}"

    @property
    def hindrance(self):
        """What the first consumer is."""
        return "stalled" if self.stalled else "slow" if self.slow else "as others"

    @property
    def key(self):
        """As Results wants it."""
        return self.label, self.threads

    def of(self, **other):
        """The same but for that."""
        return replace(self, **other)

    def command(self, program, seconds, repetitions):
        chunk = [] if self.chunk is None else ["--chunk", str(self.chunk)]
        more = [*(["--memory-on-one-node"] if self.one_node else []),
                *(["--producers-alone"] if self.producers_alone else []),
                *(["--slow", str(self.slow)] if self.slow else []),
                *(["--stalled"] if self.stalled else [])]
        return [str(program.counted if self.counted else program.path), "--variant", self.variant,
                "--producers",
                str(self.producers), "--consumers", str(self.consumers), *chunk,
                "--pinned" if self.pinned else "--not-pinned", *more, "--seconds", f"{seconds:g}",
                "--repetitions",
                str(repetitions)]


def load_of(record):
    """What a record was measured under. Its label tells whether the chunk is the variant's own, and
    which program it was."""
    return Load(record["variant"], record["producers"], record["consumers"],
                record["chunk"] if " chunk " in record["label"] else None, record["pinned"],
                record.get("memory_on_one_node", False), record.get("producers_alone", False),
                record.get("slow", 0), record.get("stalled", False),
                record["label"].endswith(" counted"))
