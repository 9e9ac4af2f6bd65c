# SPDX-License-Identifier: Apache-2.0
"""Cactus stacks, in the figures of the papers on them."""

from functools import wraps
from statistics import geometric_mean

from ..stacks.caches import CACHES
from ..stacks.figure import DEFAULT, MAPPED, front_end_of, short, workload_of
from ..stacks.idle import IDLE
from ..stacks.joins import JOINS, KINDS, mean
from ..stacks.memory import MEMORY
from ..stacks.pages import PAGES
from ..stacks.published import WORKERS, found
from ..stacks.reclaim import COUNTS, NONE, POLICIES, RECLAIM
from ..stacks.strategies import STRATEGIES, STRATEGY
from ..stacks.times import TIME
from ..stacks.victims import UNIFORM, VICTIMS, WEIGHTED
from ..tables import as_markdown, number
from .cells import spread
from .results import NotMeasured


def _of_figure(figure):
    """A table of a figure's section. Where that was not measured, the document says what does."""
    def with_section(table):
        @wraps(table)
        def made(committed):
            try:
                section = committed.section(figure.section)
            except NotMeasured:
                return f"`./run bench stacks --figure {figure.name}` measures this.\n"
            return table(section)
        return made
    return with_section


def _whole(value):
    return number(None) if value is None else f"{value:.0f}"


@_of_figure(PAGES)
def pages(section):
    """Of the papers' programs, with as many workers as there."""
    by_label = {c["label"]: c for c in section.cases}

    def each(case):
        return number(case and case["pages_per_worker"].get(str(WORKERS)))

    rows = []
    for label, case in by_label.items():
        paper = found(label)
        if paper is not None and f" {MAPPED}" not in label:
            mapped = by_label.get(label.replace(f" {DEFAULT}", f" {MAPPED}"))
            rows.append([short(label), case["depth"], case["serial_pages"], each(case),
                         mapped["serial_pages"] if mapped else number(None), each(mapped),
                         case["serial_pages"] + case["depth"], number(paper.each)])
    many = f"S_{WORKERS}/{WORKERS}"
    return as_markdown(["pages", "D", "S_1", many, "mapped: S_1", f"mapped: {many}", "S_1 + D",
                        f"Cilk-M: {many}"], rows)


@_of_figure(TIME)
def times(section):
    """By program and front end, and geometric means."""
    by_workload, ends = {}, {}
    for c in section.cases:
        key = (front_end_of(c["label"]), c["workers"])
        by_workload.setdefault(workload_of(c["label"]), {})[key] = c["over_default"]
        ends.setdefault(key, []).append(c["over_default"][0])
    rows = [[workload, *(spread(of.get(key)) for key in ends)]
            for workload, of in by_workload.items()]
    rows.append(["geometric mean", *(number(geometric_mean(ratios)) for ratios in ends.values())])
    return as_markdown(["T_mapped/T_default", *(f"{end}, P = {p}" for end, p in ends)], rows)


@_of_figure(STRATEGY)
def strategies(section):
    """Time with the fewest workers, which have a CPU each at best, pages with the most."""
    workloads = list(dict.fromkeys(workload_of(c["label"]) for c in section.cases))
    workers = sorted({c["workers"] for c in section.cases})
    rows = []
    for strategy in STRATEGIES:
        few, many = ([section.case(f"{workload} {strategy}", p) for workload in workloads]
                     for p in (workers[0], workers[-1]))
        if any(few) or any(many):
            rows.append([strategy, *(spread(c and c.get("over_default")) for c in few),
                         *(_whole(c and c.get("stack_pages")) for c in many)])
    return as_markdown(["strategy", *(f"{workload}, T_{workers[0]}/default"
                                      for workload in workloads),
                        *(f"{workload}, pages, P = {workers[-1]}" for workload in workloads)], rows)


@_of_figure(RECLAIM)
def policies(section):
    """Over all programs: time over that with all pages kept, and the sum of what is counted in one
    run of each."""
    rows = []
    for policy in POLICIES:
        ratios = [(c["over_none"][policy], c["label"]) for c in section.cases
                  if policy in c["over_none"]]
        counts = [c["counts"][policy] for c in section.cases if policy in c.get("counts", {})]
        if not ratios and not counts:
            continue
        most, program = max(ratios, default=(None, number(None)))
        rows.append([policy, len(ratios) if policy != NONE else len(counts),
                     number(geometric_mean(ratio[0] for ratio, _ in ratios)) if ratios
                     else number(None), spread(most), program,
                     *(_whole(sum(of[place] or 0 for of in counts) if counts else None)
                       for place in range(len(COUNTS)))])
    return as_markdown(["policy", "programs", "time/none, geometric mean", "the most", "by",
                        *COUNTS], rows)


@_of_figure(JOINS)
def joins(section):
    """By program, and geometric means in which each workload counts once."""
    columns = {(p, kind): [] for p in sorted({c["workers"] for c in section.cases})
               for kind in KINDS if any(kind in c["over_default"] for c in section.cases)}
    by_label = {}
    for c in section.cases:
        for kind, ratio in c["over_default"].items():
            by_label.setdefault(c["label"], {})[c["workers"], kind] = ratio
            columns[c["workers"], kind].append((workload_of(c["label"]), ratio[0]))
    rows = [[label, *(spread(of.get(column)) for column in columns)]
            for label, of in by_label.items()]
    rows.append(["geometric mean", *(number(mean(ratios) if ratios else None)
                                     for ratios in columns.values())])
    return as_markdown(["time over the default's", *(f"{KINDS[kind]}, P = {p}"
                                                     for p, kind in columns)], rows)


@_of_figure(MEMORY)
def memory(section):
    """Stacks and heap, beside the heap of the serial program."""
    rows = []
    for c in section.cases:
        paper = found(c["label"])
        row = [c["label"], _whole(c["serial_pages"])]
        for kind in ("default", "mapped"):
            of = c.get(kind)
            row += [_whole(of and of[what]) for what in ("stack_pages", "heap_pages")]
        rows.append([*row, *((paper.stacks, paper.heap, paper.cilk5) if paper is not None
                             else 3 * [number(None)])])
    return as_markdown(["pages", "serial, heap", "stacks", "heap", "mapped: stacks", "mapped: heap",
                        "Cilk-M: stacks", "Cilk-M: heap", "Cilk-5: both"], rows)


@_of_figure(VICTIMS)
def victims(section):
    """Time, steals of a run, and the share of them in a package."""
    kinds = (UNIFORM, WEIGHTED)
    return as_markdown(
        ["workload", "P", "time, weighted/uniform",
         *(f"{what}, {kind}" for what in ("steals", "in a package") for kind in kinds)],
        [[c["label"], c["workers"], spread(c.get("over_uniform")), *map(_whole, c["steals"]),
          *map(number, c["within"])] for c in section.cases])


@_of_figure(CACHES)
def caches(section):
    """By the number of threads."""
    return as_markdown(["threads", "lists, ns", "bitmap/lists", "rounds"],
                       [[c["workers"], spread(c["nanoseconds"]), spread(c["over_lists"]),
                         c["rounds"]] for c in section.cases])


@_of_figure(IDLE)
def idle(section):
    """By program and front end."""
    workers = sorted({c["workers"] for c in section.cases})
    by_label = {}
    for c in section.cases:
        by_label.setdefault(c["label"], {})[c["workers"]] = c["over_busy"]
    return as_markdown(["T_lazy/T_busy", *(f"P = {p}" for p in workers)],
                       [[label, *(spread(of.get(p)) for p in workers)]
                        for label, of in by_label.items()])
