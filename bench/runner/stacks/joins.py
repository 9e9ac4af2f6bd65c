# SPDX-License-Identifier: Apache-2.0
"""Joins and deques with locks against the default (Pfeiffer 2020, figure 5.2), and the default
deque against those of Arora, Blumofe and Plaxton and of Chase and Lev (Schmaus 2015, section
5.5)."""

from .figure import Compared, program_of
from .published import PFEIFFER, PROGRAMS

# The first paper's figure has the second and the third, and the other paper compares the last two.
KINDS = {"locked": "locked join", "the": "THE deque", "the-locked": "THE deque and locked join",
         "abp": "ABP deque", "fenced": "Chase-Lev deque"}


class Joins(Compared):
    def jobs(self, asked, programs):
        """The serial program, then each front end in all builds."""
        builds = {(program_of(v), kind): v for kind in KINDS for v in programs.of(f"nopal-{kind}")}
        found = []
        for workload in dict.fromkeys(v.workload for v in builds.values()):
            ours = [v for v in programs.of("nopal") if v.workload == workload
                    and asked.has(v, (*PROGRAMS, *PFEIFFER))
                    and any((program_of(v), kind) in builds for kind in KINDS)]
            found += asked.serial(programs, workload) if ours else []
            for v in ours:
                of = {self.reference: v} | {kind: builds[program_of(v), kind] for kind in KINDS
                                            if (program_of(v), kind) in builds}
                found += [asked.job(build, kind, p) for p in asked.workers_or([2, 8])
                          for kind, build in of.items()]
        return found


JOINS = Joins("joins", "wait-free joins and deques against those with locks",
              "Pfeiffer 2020, figure 5.2", ("nopal-locked",),
              "The same programs, with nopal built with a lock in each join, with another deque, "
              "and with both. Above 1, the other build takes longer.", ways=KINDS)
