# SPDX-License-Identifier: Apache-2.0
"""From the command line to what is measured."""

from ..command_line import chosen, numbers, refuse
from ..measure import Job, Section

PREFIX = "stacks-"
PAGES, TIME = "pages", "time"
FIGURES = {PAGES: "pages of stacks for each worker (Lee et al. 2010, figure 9)",
           TIME: "time over that with the default stacks (figure 8)"}
DEFAULT, MAPPED = "nopal-", "nopal-mapped-"
TIMED_WORKERS = 2


def plan(a, programs):
    """The sections to measure."""
    figures = chosen(a.figure, FIGURES, "figure")
    counted = [*programs.space, *programs.space_mapped]
    if not programs.mapped or not programs.space_mapped:
        refuse("the programs with mapped stacks are not there: "
               f"{programs.absent.get('nopal-mapped', 'they have not been built')}")
    names = chosen(a.workload, list(dict.fromkeys(v.workload for v in counted)), "workload")
    suffixes = chosen(a.variant, list(dict.fromkeys(_suffix(v) for v in counted)), "variant")
    workers = sorted({1, *numbers(a.workers, "--workers")})  # S_1 is in the bound
    jobs = {PAGES: [_pages(v, p, v.sizes[a.size], a.reclaim)
                    for v in _in_turn(counted, names, suffixes) for p in workers],
            TIME: [_time(v, v.sizes[a.size]) for v in _in_turn(_timed(programs), names, suffixes)]}
    sections = [Section(PREFIX + figure, None, jobs[figure]) for figure in figures]
    if not any(section.jobs for section in sections):
        refuse("nothing to measure: no chosen workload has a chosen variant")
    return sections


def _suffix(variant):
    """invoke, frame, for: the front end."""
    return variant.name.rsplit("-", 1)[1]


def _timed(programs):
    """The programs with mapped stacks, and those that are the same with the default ones."""
    names = {(v.workload, v.name.replace(MAPPED, DEFAULT)) for v in programs.mapped}
    return [v for v in programs.variants if (v.workload, v.name) in names] + programs.mapped


def _in_turn(variants, names, suffixes):
    """Those that are asked for; what is compared with each other comes one after the other."""
    found = [v for v in variants if v.workload in names and _suffix(v) in suffixes]
    first = {}
    for v in found:
        first.setdefault((v.workload, _suffix(v)), len(first))
    return sorted(found, key=lambda v: first[v.workload, _suffix(v)])


def _pages(v, workers, n, policy):
    """S_1 is of one worker that keeps what it has touched."""
    return Job(f"{v.workload} {v.name.replace('space', 'nopal')}", workers,
               v.command(workers, n, 1), {"NOPAL_RECLAIM": "none" if workers == 1 else policy})


def _time(v, n):
    return Job(f"{v.workload} {v.name}", TIMED_WORKERS, v.command(TIMED_WORKERS, n, 1))
