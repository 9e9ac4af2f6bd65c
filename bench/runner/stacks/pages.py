# SPDX-License-Identifier: Apache-2.0
"""Pages of stacks for each worker, beside their bound (Lee and others 2010, figure 9)."""

from ..charts import Bars
from ..ratios import Results
from ..tables import Table, nested, number
from ..targets import Target
from .figure import DEFAULT, MAPPED, Figure, in_turn, of_default, short
from .published import WORKERS, drawn, found


SPACES = ("space", "space-mapped")  # families of programs


def default_or_mapped(v):
    """The label of a program that counts pages: which stacks it has."""
    return f"{v.workload} {v.name.replace('space', 'nopal')}"


def jobs(asked, programs):
    """S_1, which is in the bound, is of one worker that keeps what it has touched."""
    return [asked.job(v, p, default_or_mapped(v),
                      {"NOPAL_RECLAIM": "none" if p == 1 else asked.reclaim})
            for v in in_turn(v for v in programs.of(*SPACES) if asked.has(v))
            for p in sorted({1, *asked.workers_or([2, WORKERS])})]


def shows_nothing(record):
    """Whether fewer stacks than workers were in use at a time. S_P is then that of fewer
    workers. What has no runtime is the serial program."""
    runtime = record.get("runtime")
    return runtime is not None and runtime["peak_stacks_in_use"] < record["workers"]


def counted(results):
    """The runs in which each worker had a stack at one time, and for each program and number of
    workers without such a run the most stacks that were in use: (label, workers, stacks)."""
    kept = Results([r for r in results.good if not shows_nothing(r)])
    refused = [(label, p, max(r["runtime"]["peak_stacks_in_use"]
                              for r in results.records(label, p)))
               for label, p in results.keys() if not kept.records(label, p)]
    return kept, refused


def refusals(results):
    """A line for each program whose runs show nothing."""
    return [f"{label}, P = {p}: at most {stacks} stacks were in use at a time, fewer than "
            "workers, so the run shows nothing" for label, p, stacks in counted(results)[1]]


def of_spaces(results):
    """A case for each program that has run with one worker and with several: the most pages of all
    rounds."""
    found = []
    for label in results.labels:
        pages = {p: max(r["runtime"]["stack_pages"] for r in results.records(label, p))
                 for of, p in sorted(results.keys()) if of == label}
        if 1 in pages and len(pages) > 1:
            found.append({"label": label, "serial_pages": pages.pop(1),
                          "depth": max(r["runtime"]["fork_depth"]
                                       for r in results.records(label, 1)),
                          "pages_per_worker": {str(p): n / p for p, n in pages.items()}})
    return found


def cases(results):
    """Of runs that show something: pages of stacks with one worker, depth of forks, and pages for
    each worker by the number of workers."""
    return of_spaces(counted(results)[0])


def _bound(case):
    return case["serial_pages"] + case["depth"]


def _both(found_cases):
    """fib frame -> its case with the default stacks, and with mapped ones; None where there is
    none."""
    by_label = {c["label"]: c for c in found_cases}
    return {short(label): (by_label.get(label), by_label.get(label.replace(f" {DEFAULT}",
                                                                           f" {MAPPED}")))
            for label in dict.fromkeys(map(of_default, by_label))}


def table(section):
    """S_P/P of both kinds, and of the paper."""
    workers = sorted({int(p) for c in section.cases for p in c["pages_per_worker"]})
    rows = []
    for label, both in _both(section.cases).items():
        row, any_case, paper = [label], both[0] or both[1], found(label)
        for c in both:
            row += [c["serial_pages"] if c else number(None),
                    *(number(c and c["pages_per_worker"].get(str(p))) for p in workers)]
        rows.append([row[0], any_case["depth"], *row[1:], _bound(any_case),
                     number(paper and paper.each)])
    columns = ["S_1", *(f"S_{p}/{p}" for p in workers)]
    return Table(["pages", "D", *columns, *(f"mapped: {c}" for c in columns), "S_1 + D",
                  f"Cilk-M: S_{WORKERS}/{WORKERS}"], rows)


def by_front_end(committed):
    """S_P/P over S_1 + D: for each front end the most of all programs."""
    found = nested((*reversed(c["label"].split(" ")), {
        int(p): each / _bound(c) for p, each in c["pages_per_worker"].items()})
        for c in committed.section("space").cases)
    workers = sorted({p for programs in found.values() for of in programs.values() for p in of})
    rows = []
    for front_end, programs in found.items():
        most = [max((of[p], program) for program, of in programs.items()) for p in workers]
        rows.append([front_end, len(programs), *(number(share) for share, _ in most),
                     max(most)[1]])
    return Table(["front end", "programs", *(f"P = {p}" for p in workers), "the most by"], rows)


def charts(section):
    most = max(int(p) for c in section.cases for p in c["pages_per_worker"])
    rows = {}
    for label, both in _both(section.cases).items():
        paper = found(label)
        rows[label] = {name: value for name, value in (
            *((name, c["pages_per_worker"].get(str(most)))
              for name, c in zip(("default", "mapped"), both) if c),
            ("Cilk-M", paper.each if paper and most == WORKERS else None),
            ("S_1 + D", _bound(both[0] or both[1]))) if value is not None}
    yield Bars("mapped-pages", f"Pages of stacks for each of {most} workers, default and mapped, "
               "beside the bound S_1 + D and, with 16, those of Cilk-M.", f"S_{most}/{most}, pages",
               {label: rows[label] for label in drawn(rows)})


def targets(size, of):
    for label, both in _both(of).items():
        for kind, c in zip(("default", "mapped"), both):
            if c:
                each = c["pages_per_worker"]
                worst = max(each, key=each.get)
                yield Target(f"{label}, {kind}, S_P/P over S_1 + D, P = {worst}",
                             each[worst] / _bound(c), 1.0, None, True)
        # Found with inputs of that size.
        paper, each = found(label), both[1] and both[1]["pages_per_worker"].get(str(WORKERS))
        if size == "paper" and paper is not None and each:
            yield Target(f"{label}, mapped, S_{WORKERS}/{WORKERS}", each, paper.each, None, True)


PAGES = Figure("pages", "pages of stacks for each worker", "Lee and others 2010, figure 9",
               jobs, cases, table, charts, targets,
               SPACES, refusals,
               "Pages of 4 KiB of all stacks, in use, spare and pooled, as the kernel has them. "
               "S_1 is what one worker touches, S_P the most that was seen with P workers, D how "
               "many forks are nested in each other.")
