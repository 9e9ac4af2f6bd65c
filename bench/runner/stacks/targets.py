# SPDX-License-Identifier: Apache-2.0
"""What stacks promise to reach, beside what was measured."""

from ..targets import Target
from .plan import PAGES, PREFIX
from .published import PAGES_OF_EACH, WORKERS
from .tables import counted, pages, times


def targets_of(section, size, results):
    return list(_pages(size, results) if section == PREFIX + PAGES else _times(results))


def _pages(size, results):
    for b in pages(results):
        for kind, s in (("default", b.default), ("mapped", b.mapped)):
            if s is not None:
                worst = max(s.most, key=s.each)
                yield Target(f"{b.workload} {b.front_end}, {kind}, S_P/P over S_1 + D, P = {worst}",
                             s.each(worst) / s.bound, 1.0, None, True)
        # Found with inputs of that size.
        each = b.mapped.each(WORKERS) if b.mapped is not None and size == "paper" else None
        if each is not None and b.workload in PAGES_OF_EACH:
            yield Target(f"{b.workload} {b.front_end}, mapped, S_{WORKERS}/{WORKERS}", each,
                         PAGES_OF_EACH[b.workload], None, True)


def _times(results):
    for t in times(results):
        yield Target(f"{t.label}, mapped over default, P = {t.workers}", t.ratio.median, 1.05, 1.0,
                     True)


def refusals(section, results):
    """A line for each program whose runs show nothing, since fewer stacks were in use at a time
    than there are workers."""
    if section != PREFIX + PAGES:
        return []
    return [f"{label}, P = {p}: at most {stacks} stacks were in use at a time, fewer than "
            "workers, so the run shows nothing" for label, p, stacks in counted(results)[1]]
