# SPDX-License-Identifier: Apache-2.0
"""Stacks and heap of many workers, beside the serial program (Lee and others 2010, figure 10).

The heap is all memory that the processes of a program can write to at its end, stacks of strands
aside and what lies in no page table aside, less that of the one process with its problem before
there were workers. So it has what the program allocates while it runs, deques, the workers' own
stacks, and whatever else a runtime takes. Memory that several processes share counts once.
"""

from ..charts import Bars
from ..ratios import without_none
from ..tables import SERIAL, Table, nested, number
from ..targets import Target
from .figure import (
    DEFAULT, MAPPED, Figure, in_turn, of_default, serial_of, short, whole, workers_of)
from .pages import SPACES, counted, default_or_mapped, refusals
from .published import PROGRAMS, WORKERS, drawn, found

# The C library gives nothing back before the end, as the allocator of mapped programs, so what is
# there at the end is the most that there ever was.
NOTHING_GOES_BACK = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": str(1 << 40)}


def jobs(asked, programs):
    counts = in_turn(v for v in programs.of(*SPACES) if asked.has(v, PROGRAMS))
    environment = {**NOTHING_GOES_BACK, "NOPAL_RECLAIM": asked.reclaim}
    found_jobs = []
    for workload in dict.fromkeys(v.workload for v in counts):
        found_jobs += [asked.job(v, environment=NOTHING_GOES_BACK)
                       for v in serial_of(programs, workload)]
        found_jobs += [asked.job(v, p, default_or_mapped(v), environment)
                       for v in counts if v.workload == workload
                       for p in asked.workers_or([WORKERS])]
    return found_jobs


def _pages(records):
    """The most of all runs, each for itself. What the process had before workers is its problem."""
    if not records:
        return None
    return {"stack_pages": max(r["runtime"]["stack_pages"] for r in records),
            "heap_pages": max(r["runtime"]["heap_pages"] - r["memory_pages"]["before_workers"]
                              for r in records)}


def _serial(records):
    return max((r["memory_pages"]["at_end"] - r["memory_pages"]["before_workers"]
                for r in records), default=None)


def cases(results):
    """Pages, by the runs in which each worker had a stack: serial_pages, of stack and heap
    together; default and mapped, of each."""
    told = counted(results)[0]
    programs = dict.fromkeys((of_default(label), p) for label, p in told.keys()
                             if not label.endswith(f" {SERIAL}"))
    return [without_none({
        "label": short(label), "workers": p,
        "serial_pages": _serial(told.records(f"{label.split(' ')[0]} {SERIAL}", 1)),
        "default": _pages(told.records(label, p)),
        "mapped": _pages(told.records(label.replace(f" {DEFAULT}", f" {MAPPED}"), p))})
        for label, p in programs]


def _sum(pages):
    return pages["stack_pages"] + pages["heap_pages"] if pages else None


def table(section):
    """Stacks and heap, beside the heap of the serial program."""
    rows, several = [], len(workers_of(section)) > 1
    for c in section.cases:
        paper = found(c["label"])
        label = f"{c['label']}, P = {c['workers']}" if several else c["label"]
        rows.append([label, whole(c.get("serial_pages")),
                     *(whole(c.get(kind, {}).get(what)) for kind in ("default", "mapped")
                       for what in ("stack_pages", "heap_pages")),
                     *((paper.stacks, paper.heap, paper.cilk5) if paper is not None
                       else 3 * [number(None)])])
    return Table(["pages", "serial, heap", "stacks", "heap", "mapped: stacks", "mapped: heap",
                  "Cilk-M: stacks", "Cilk-M: heap", "Cilk-5: both"], rows)


def charts(section):
    for p in workers_of(section):
        rows = nested((c["label"], kind, value) for c in section.cases if c["workers"] == p
                      for kind, value in (
                          ("serial", c.get("serial_pages")), ("default", _sum(c.get("default"))),
                          ("mapped", _sum(c.get("mapped")))) if value is not None)
        yield Bars(f"stacks-and-heap-{p}", f"Pages of stacks and heap together, {p} workers, "
                   "beside the serial program.", f"pages, P = {p}",
                   {label: rows[label] for label in drawn(rows)})


def targets(size, of):
    """What workers take beyond the serial program, beside stacks and heap of Cilk-M with as many
    workers and these inputs. Its heap is not that of the program."""
    for c in of:
        paper = found(c["label"])
        if size != "paper" or c["workers"] != WORKERS or paper is None or "serial_pages" not in c:
            continue
        for kind in ("default", "mapped"):
            if kind in c:
                yield Target(f"{c['label']}, {kind}, pages of stacks and heap beyond the serial "
                             f"program's, P = {WORKERS}", _sum(c[kind]) - c["serial_pages"], None,
                             paper.stacks + paper.heap, True)


MEMORY = Figure("memory", "pages of stacks and of the heap, beside the serial program",
                "Lee and others 2010, figure 10", jobs, cases, table, charts, targets,
                SPACES, refusals,
                "Pages of 4 KiB, the most of all rounds. The heap is all other memory that the "
                "processes of a program can write to when it ends, less that of the one process "
                "with its problem before there were workers. Cilk-M's and Cilk-5's is that of "
                "their internal allocator alone.")
