# SPDX-License-Identifier: Apache-2.0
"""Free stacks in lists, one for each worker, against one bitmap of all (Schmaus 2015, table
3.1)."""

from ..measure import Job
from ..ratios import Spread
from ..tables import Table, spread
from .figure import Figure

PROGRAM = "stack_cache"  # bench/micro
TURNS = {"smoke": 10, "quick": 500, "paper": 5000}


class Caches(Figure):
    def jobs(self, asked, programs):
        """None where programs were chosen: this has no workload and no front end."""
        program = programs.micros.get(PROGRAM)
        if program is None or asked.workloads or asked.front_ends:
            return []
        return [Job(PROGRAM, p, [str(program), "--workers", str(p), "--turns",
                                 str(TURNS[asked.size])]) for p in asked.workers_or([1, 2, 8])]

    def cases(self, results):
        """nanoseconds: of taking a free stack and putting it back; over_lists: bitmap over
        lists."""
        found = []
        for label, p in results.keys():
            lists, bitmap = ([r[kind]["nanoseconds"]["median"] for r in results.records(label, p)]
                             for kind in ("lists", "bitmap"))
            found.append({"label": PROGRAM, "workers": p, "rounds": len(lists),
                          "nanoseconds": Spread.of(lists),
                          "over_lists": Spread.of(b / a for a, b in zip(lists, bitmap))})
        return found

    def table(self, section):
        """By the number of threads."""
        return Table(["threads", "lists, ns", "bitmap/lists", "rounds"],
                     [[c["workers"], spread(c["nanoseconds"]), spread(c["over_lists"]), c["rounds"]]
                      for c in section.cases])


CACHES = Caches("caches", "free stacks in lists of workers against one bitmap of all",
                "Schmaus 2015, table 3.1",
                note="Each thread takes a free stack and puts it back, and does nothing else.")
