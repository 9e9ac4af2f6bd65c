# SPDX-License-Identifier: Apache-2.0
"""Time with mapped stacks beside the default ones (Lee and others 2010, figure 8)."""

from ..tables import pivot
from .figure import Compared, in_turn, program_of


class Time(Compared):
    def jobs(self, asked, programs):
        """The programs with mapped stacks, and those that are the same with the default ones."""
        mapped = programs.of("nopal-mapped")
        names = set(map(program_of, mapped))
        both = [v for v in programs.of("nopal") if program_of(v) in names] + mapped
        return [asked.job(v, "mapped" if v in mapped else "default", p)
                for v in in_turn(v for v in both if asked.has(v)) for p in asked.workers_or([2])]

    def table(self, section):
        """A row for each workload, columns for its front ends."""
        sides = [(*c["label"].split(" "), c) for c in section.cases]
        return pivot(self.ratio, (
            (workload, f"{front_end}, P = {c['workers']}", c["over"]["mapped"])
            for workload, front_end, c in sides), means=True)


TIME = Time("time", "time with mapped stacks over that with the default ones",
            "Lee and others 2010, figure 8", ("nopal-mapped",), ways={"mapped": ""},
            ratio="T_mapped/T_default")
