# SPDX-License-Identifier: Apache-2.0
"""From the command line to what is measured."""

from ..command_line import chosen, refuse
from ..measure import Job, Section
from .figures import FIGURES, MOST_THREADS, variants_of


def plan(a, program):
    """The sections to measure."""
    if not 1 <= a.threads <= MOST_THREADS:
        refuse(f"--threads must be 1 to {MOST_THREADS}, not {a.threads}")
    figures = [FIGURES[name] for name in chosen(a.figure, list(FIGURES), "figure")]
    _say_why_absent(a.variant, program)
    wanted = a.variant and chosen(a.variant, program.variants, "variant")
    sections = [section
                for figure in figures if (section := _section(figure, wanted, a, program)).jobs]
    if not sections:
        refuse(f"nothing to measure: {', '.join(f.name for f in figures)} has none of the variants "
               f"{' '.join(wanted or ())}")
    return sections


def _say_why_absent(text, program):
    for name in (text or "").split(","):
        if (why := program.absent.get(name.strip())) is not None:
            refuse(f"variant '{name.strip()}' is not there: {why}")


def _section(figure, wanted, a, program):
    jobs = [Job(load.label, load.threads, load.command(program, a.seconds, a.repetitions))
            for load in figure.loads(variants_of(figure, wanted, program), a.threads)]
    return Section(figure.section, None, jobs)
