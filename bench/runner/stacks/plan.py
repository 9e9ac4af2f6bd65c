# SPDX-License-Identifier: Apache-2.0
"""From the command line to what is measured."""

from ..command_line import chosen, numbers, refuse
from ..measure import Section
from .figure import Asked, front_end
from .figures import FIGURES
from .strategies import STRATEGIES


def plan(a, programs):
    """The sections to measure, and which figures are left out: name -> why."""
    asked = Asked(a.size, a.reclaim, a.workers and numbers(a.workers, "--workers"),
                  *(text and chosen(text, valid, kind) for text, valid, kind in (
                      (a.workload, _names(programs, lambda v: v.workload), "workload"),
                      (a.variant, _names(programs, front_end), "variant"),
                      (a.strategy, list(STRATEGIES), "strategy"))))
    sections, left_out = [], {}
    for name in chosen(a.figure, FIGURES, "figure"):
        figure = FIGURES[name]
        lacks = figure.lacks(programs)
        if lacks and a.figure:
            refuse(lacks)
        if lacks:
            left_out[f"figure {name}"] = lacks
            continue
        section = Section(figure.section, None, figure.jobs(asked, programs))
        sections += [section] if section.jobs else []
    if not sections:
        reasons = "".join(f"; {what}: {why}" for what, why in left_out.items())
        refuse(f"nothing to measure: no figure has a chosen workload and variant{reasons}")
    return sections, left_out


def _names(programs, of):
    """Of all programs that are nopal's."""
    ours = [v for v in programs.variants if v.family == "nopal"]
    return list(dict.fromkeys(of(v) for v in [
        *ours, *programs.space, *programs.mapped, *programs.child, *programs.locked,
        *programs.stacks]))
