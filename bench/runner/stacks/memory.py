# SPDX-License-Identifier: Apache-2.0
"""Stacks and heap of many workers, beside the serial program (Lee and others 2010, figure 10).

The heap is all memory that the processes of a program can write to at its end, stacks of strands
aside and what lies in no page table aside, less that of the one process with its problem before
there were workers. So it has what the program allocates while it runs, deques, the workers' own
stacks, and whatever else a runtime takes. Memory that several processes share counts once.
"""

from dataclasses import dataclass

from ..kept import digits
from ..measure import Job
from ..tables import SERIAL, number
from ..targets import Target
from .figure import DEFAULT, MAPPED, Figure, in_turn, of_default, short
from .pages import counted, refusals
from .published import PROGRAMS, WORKERS, found

# The C library gives nothing back before the end, as the allocator of mapped programs, so what is
# there at the end is the most that there ever was.
NOTHING_GOES_BACK = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": str(1 << 40)}


def jobs(asked, programs):
    workers = asked.workers_or([WORKERS])
    counts = [v for v in [*programs.space, *programs.space_mapped] if asked.has(v, PROGRAMS)]
    of_workload = {}
    for v in in_turn(counts):
        of_workload.setdefault(v.workload, []).append(v)
    found_jobs = []
    for workload, variants in of_workload.items():
        found_jobs += [Job(f"{workload} {SERIAL}", 1, v.command(1, v.sizes[asked.size], 1),
                           NOTHING_GOES_BACK)
                       for v in programs.variants if (v.workload, v.name) == (workload, SERIAL)]
        found_jobs += [Job(f"{workload} {v.name.replace('space', 'nopal')}", p,
                           v.command(p, v.sizes[asked.size], 1),
                           {**NOTHING_GOES_BACK, "NOPAL_RECLAIM": asked.reclaim})
                       for v in variants for p in workers]
    return found_jobs


@dataclass(frozen=True)
class Pages:
    """The most of all runs, each for itself."""

    stacks: int
    heap: int

    @property
    def sum(self):
        return self.stacks + self.heap


@dataclass(frozen=True)
class Taken:
    """What a program takes with so many workers. None where it was not measured."""

    label: str  # fib frame
    workers: int
    serial: int | None  # stack and heap of the serial program
    default: Pages | None
    mapped: Pages | None

    @property
    def published(self):
        return found(self.label.split(" ")[0])


def _heap(record):
    """What the process had before workers is its problem."""
    return record["runtime"]["heap_pages"] - record["memory_pages"]["before_workers"]


def _pages(records):
    if not records:
        return None
    return Pages(max(r["runtime"]["stack_pages"] for r in records), max(map(_heap, records)))


def _serial(records):
    return max((r["memory_pages"]["at_end"] - r["memory_pages"]["before_workers"]
                for r in records), default=None)


def taken(results):
    """For each program and number of workers, by the runs in which each worker had a stack."""
    told = counted(results)[0]
    programs = dict.fromkeys((of_default(label), p) for label, p in told.keys()
                             if not label.endswith(f" {SERIAL}"))
    return [Taken(short(label), p, _serial(told.records(f"{label.split(' ')[0]} {SERIAL}", 1)),
                  _pages(told.records(label, p)),
                  _pages(told.records(label.replace(f" {DEFAULT}", f" {MAPPED}"), p)))
            for label, p in programs]


def table(results):
    def cells(pages):
        return ([number(None)] * 3 if pages is None else [pages.stacks, pages.heap, pages.sum])

    rows = []
    for t in taken(results):
        paper = t.published
        rows.append([t.label, t.workers, number(None) if t.serial is None else t.serial,
                     *cells(t.default), *cells(t.mapped),
                     *([paper.stacks, paper.heap, paper.stacks + paper.heap, paper.cilk5] if paper
                       else [number(None)] * 4)])
    kinds = [f"{kind}: {what}" for kind in ("default", "mapped")
             for what in ("stacks", "heap", "sum")]
    return ["workload and front end, pages", "P", "serial: sum", *kinds, "Cilk-M: stacks",
            "Cilk-M: heap", "Cilk-M: sum", "Cilk-5: sum"], rows


def targets(size, results):
    """What workers take beyond the serial program, beside stacks and heap of Cilk-M with as many
    workers and these inputs. Its heap is not that of the program."""
    for t in taken(results):
        if size != "paper" or t.workers != WORKERS or t.published is None or t.serial is None:
            continue
        for kind, pages in (("default", t.default), ("mapped", t.mapped)):
            if pages is not None:
                published = t.published.stacks + t.published.heap
                yield Target(f"{t.label}, {kind}, pages of stacks and heap beyond the serial "
                             f"program's, P = {WORKERS}", pages.sum - t.serial, None, published,
                             True)


def cases(results):
    """Pages: serial, of stack and heap together; default and mapped, [stacks, heap]."""
    def both(pages):
        return {} if pages is None else {"stack_pages": pages.stacks, "heap_pages": pages.heap}

    return [{"label": t.label, "workers": t.workers, "serial_pages": digits(t.serial),
             "default": both(t.default), "mapped": both(t.mapped)} for t in taken(results)]


MEMORY = Figure("memory", "pages of stacks and of the heap, beside the serial program",
                "Lee and others 2010, figure 10", jobs, table, targets, cases,
                {"space": "space", "space_mapped": "space-mapped"}, refusals)
