# SPDX-License-Identifier: Apache-2.0
"""What a picture shows, before it is drawn. A value is a median, or [median, lowest, highest]."""

from dataclasses import dataclass, field

from .tables import middle, number


def _said(of_each):
    return "; ".join(f"{name}: " + ", ".join(f"{key} {number(middle(value))}"
                                             for key, value in values.items())
                     for name, values in of_each.items())


@dataclass(frozen=True)
class Bars:
    """Horizontal bars in groups: rows is name -> {series: value}, and a series may lack in one."""

    name: str  # of its file
    caption: str
    axis: str
    rows: dict
    line: float | None = None  # a value to compare with
    libraries: dict = field(default_factory=dict)  # row -> the library whose colour it has

    @property
    def is_empty(self):
        return not any(self.rows.values())

    @property
    def alt(self):
        """What the picture says to those who do not see it."""
        return f"Bars: {self.axis}. {_said(self.rows)}"


@dataclass(frozen=True)
class Lines:
    """curves is name -> {x: value}. Where x is a text, the places stand side by side."""

    name: str
    caption: str
    x: str
    y: str
    curves: dict
    cpus: tuple | None = None  # (how many there are, the x at which there are as many threads)
    line: float | None = None  # a value to compare with
    libraries: dict = field(default_factory=dict)
    fits: dict = field(default_factory=dict)  # name -> a function of x

    @property
    def is_empty(self):
        return not any(self.curves.values())

    @property
    def alt(self):
        return f"Lines: {self.y} against {self.x}. {_said(self.curves)}"
