# SPDX-License-Identifier: Apache-2.0
"""Pages of stacks and heap together, beside the serial program (Lee and others 2010, figure 10).

What the heap is bench/README.md says.
"""

from ..charts import Bars
from ..ratios import without_none
from ..tables import SERIAL, Table, nested, number
from .figure import in_turn, whole, workers_of
from .pages import SPACES, Counted, showing
from .published import PROGRAMS, WORKERS, drawn, found

# The C library gives nothing back before the end, as the allocator of mapped programs, so what is
# there at the end is the most that there ever was.
NOTHING_GOES_BACK = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": str(1 << 40)}
KINDS = tuple(SPACES.values())


def _pages(records):
    """Of stacks, and of the heap: the most of all runs, each for itself. What the process had
    before workers is its problem."""
    return records and [max(r["runtime"]["stack_pages"] for r in records), max(
        r["runtime"]["heap_pages"] - r["memory_pages"]["before_workers"] for r in records)]


class Memory(Counted):
    def jobs(self, asked, programs):
        counts = in_turn(v for v in programs.of(*SPACES) if asked.has(v, PROGRAMS))
        environment = {**NOTHING_GOES_BACK, "NOPAL_RECLAIM": asked.reclaim}
        jobs = []
        for workload in dict.fromkeys(v.workload for v in counts):
            jobs += asked.serial(programs, workload, environment=NOTHING_GOES_BACK)
            jobs += [asked.job(v, SPACES[v.family], p, environment) for v in counts
                     if v.workload == workload for p in asked.workers_or([WORKERS])]
        return jobs

    def cases(self, results):
        """Pages, by the runs in which each worker had a stack: serial_pages, of stack and heap
        together; default and mapped, of stacks and of the heap. For targets over_paper: what
        workers take beyond the serial program, over stacks and heap of Cilk-M. Its heap is not that
        of the program."""
        told = showing(results)
        programs = dict.fromkeys((label.split("@")[0], p) for label, p in told.keys()
                                 if not label.endswith(f"@{SERIAL}"))
        cases = [without_none({
            "label": program, "workers": p,
            "serial_pages": max((r["memory_pages"]["at_end"] - r["memory_pages"]["before_workers"]
                                 for r in told.records(f"{program.split(' ')[0]}@{SERIAL}", 1)),
                                default=None),
            **{kind: _pages(told.records(f"{program}@{kind}", p)) or None for kind in KINDS}})
            for program, p in programs]
        for c in cases:
            paper = found(c["label"])
            if c["workers"] == WORKERS and paper and "serial_pages" in c:
                c["over_paper"] = {kind: (sum(c[kind]) - c["serial_pages"])
                                   / (paper.stacks + paper.heap) for kind in KINDS if kind in c}
        return cases

    def table(self, section):
        """Stacks and heap, beside the heap of the serial program."""
        rows, several = [], len(workers_of(section.cases)) > 1
        for c in section.cases:
            paper = found(c["label"])
            label = f"{c['label']}, P = {c['workers']}" if several else c["label"]
            rows.append([label, whole(c.get("serial_pages")),
                         *(whole(value) for kind in KINDS for value in c.get(kind, [None, None])),
                         *((paper.stacks, paper.heap, paper.cilk5) if paper is not None
                           else 3 * [number(None)])])
        return Table(["pages", "serial, heap", "stacks", "heap", "mapped: stacks", "mapped: heap",
                      "Cilk-M: stacks", "Cilk-M: heap", "Cilk-5: both"], rows)

    def charts(self, section):
        for p in workers_of(section.cases):
            rows = nested((c["label"], kind, sum(pages)) for c in section.cases
                          if c["workers"] == p for kind, pages in (
                              ("serial", [c["serial_pages"]] if "serial_pages" in c else None),
                              *((kind, c.get(kind)) for kind in KINDS)) if pages is not None)
            yield Bars(f"memory-{p}-workers", f"Pages of stacks and heap together, {p} workers, "
                       "beside the serial program.", f"pages, P = {p}", drawn(rows))


MEMORY = Memory("memory", "pages of stacks and of the heap, beside the serial program",
                "Lee and others 2010, figure 10", tuple(SPACES),
                "Pages of 4 KiB, the most of all rounds. The heap is all other memory that the "
                "processes of a program can write to when it ends, less that of the one process "
                "with its problem before there were workers. Cilk-M's and Cilk-5's is that of "
                "their internal allocator alone.")
