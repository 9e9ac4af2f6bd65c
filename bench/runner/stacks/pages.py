# SPDX-License-Identifier: Apache-2.0
"""Pages of stacks for each worker, beside their bound (Lee and others 2010, figure 9)."""

from dataclasses import dataclass

from ..kept import digits
from ..measure import Job
from ..ratios import Results, Space, space
from ..tables import number
from ..targets import Target
from .figure import DEFAULT, MAPPED, Figure, in_turn, of_default, short
from .published import WORKERS, found


def jobs(asked, programs):
    """S_1, which is in the bound, is of one worker that keeps what it has touched."""
    workers = asked.workers_or([2, WORKERS])
    variants = [v for v in [*programs.space, *programs.space_mapped] if asked.has(v)]
    return [Job(f"{v.workload} {v.name.replace('space', 'nopal')}", p,
                v.command(p, v.sizes[asked.size], 1),
                {"NOPAL_RECLAIM": "none" if p == 1 else asked.reclaim})
            for v in in_turn(variants) for p in sorted({1, *workers})]


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
    """A line for each program whose runs show nothing, since fewer stacks were in use at a time
    than there are workers."""
    return [f"{label}, P = {p}: at most {stacks} stacks were in use at a time, fewer than "
            "workers, so the run shows nothing" for label, p, stacks in counted(results)[1]]


@dataclass(frozen=True)
class Beside:
    """A program with the default stacks, and with mapped ones; None where one was not measured."""

    label: str  # fib frame
    default: Space | None
    mapped: Space | None

    @property
    def published(self):
        of_paper = found(self.label.split(" ")[0])
        return of_paper and of_paper.each


def beside(results):
    """What was counted of each program, by the runs that show something."""
    spaces = {s.label: s for s in space(counted(results)[0])}
    return [Beside(short(label), spaces.get(label),
                   spaces.get(label.replace(f" {DEFAULT}", f" {MAPPED}")))
            for label in dict.fromkeys(map(of_default, spaces))]


def table(results):
    workers = sorted({p for _, p in results.keys() if p > 1})

    def cells(s):
        if s is None:
            return [number(None)] * (2 + len(workers))
        return [s.serial, *(number(s.each(p)) for p in workers), s.bound]

    rows = [[b.label, (b.default or b.mapped).depth, *cells(b.default), *cells(b.mapped),
             number(b.published)] for b in beside(results)]
    columns = ["S_1", *(f"S_{p}/{p}" for p in workers), "S_1 + D"]
    return ["workload and front end", "D", *columns, *(f"mapped: {c}" for c in columns),
            f"Cilk-M: S_{WORKERS}/{WORKERS}"], rows


def targets(size, results):
    for b in beside(results):
        for kind, s in (("default", b.default), ("mapped", b.mapped)):
            if s is not None:
                worst = max(s.most, key=s.each)
                yield Target(f"{b.label}, {kind}, S_P/P over S_1 + D, P = {worst}",
                             s.each(worst) / s.bound, 1.0, None, True)
        # Found with inputs of that size.
        each = b.mapped.each(WORKERS) if b.mapped is not None and size == "paper" else None
        if each is not None and b.published is not None:
            yield Target(f"{b.label}, mapped, S_{WORKERS}/{WORKERS}", each, b.published, None, True)


def cases(results):
    """Of runs that show something: pages of stacks with one worker, depth of forks, and pages for
    each worker by the number of workers."""
    return of_spaces(counted(results)[0])


def of_spaces(results):
    return [{"label": s.label, "depth": s.depth, "serial_pages": s.serial,
             "pages_per_worker": {str(p): digits(s.each(p)) for p in sorted(s.most)}}
            for s in space(results)]


PAGES = Figure("pages", "pages of stacks for each worker", "Lee and others 2010, figure 9",
               jobs, table, targets, cases, {"space": "space", "space_mapped": "space-mapped"},
               refusals)
