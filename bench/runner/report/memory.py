# SPDX-License-Identifier: Apache-2.0
"""Peak memory against workers, and its exponent (Williams and Elliott 2024, equation 17 and table
II)."""

import numpy as np

from ..committed.cells import with_error
from ..pool.tables import MARK, NOTE
from ..tables import number
from . import draw, published
from .contents import Part, Picture, Table, Text
from .growth import fit, megabytes_by_workers
from .libraries import NOPAL
from .lines import of_variants

MISSING = ("Missing for the fit MRSS = a + b·M_1·P^n: at least 4 numbers of workers, 1 among them, "
           "for one workload "
           "and variant. `./run bench --workers 1,2,4,8` measures them.")


def part(measured):
    curves = {w.title: (w, megabytes_by_workers(w)) for w in measured.workloads}
    rows, pictures = [], []
    for workload, of_workload in curves.values():
        fits = {label: found
                for label, sizes in of_workload.items() if (found := fit(sizes)) is not None}
        rows += [_fit_row(workload, label, found) for label, found in fits.items()]
        if fits:
            pictures.append(_picture(workload, of_workload, fits))
    items = [Text("Peak resident set of the process (MRSS), the median of the rounds; what the "
                  "program itself takes is "
                  "in it. Memory does not ask for CPUs: the fit takes all numbers of workers, also "
                  "those above the number of CPUs, which a line marks in the figures.")]
    if rows:
        items.append(Table("The fit MRSS = a + b·M_1·P^n, M_1 the MRSS of one worker. Published: "
                           "Williams and Elliott "
                           "2024, table II, with up to 112 workers; their sizes are not always "
                           "these",
                           ["workload", "variant", "n", "a, MB", "b", "published n"], rows,
                           names=2))
    else:
        items.append(Text(MISSING, "missing"))
    return Part("memory", "Peak memory", [*items, *pictures, *_table(measured, curves)])


def _fit_row(workload, label, found):
    library = workload.library(label)
    if library == NOPAL:
        near = published.exponent(workload.name, workload.n, published.NEAREST, None)
        beside = "–" if near is None else f"– ({published.NEAREST}: {with_error(*near)})"
    else:
        known = published.exponent(workload.name, workload.n, label, library)
        beside = "–" if known is None else with_error(*known)
    if found.error is None:
        return [workload.title, label, "undetermined", "–", "–", beside]
    return [workload.title, label, with_error(found.n, found.error), number(found.a),
            number(found.b), beside]


def _table(measured, curves):
    workers = measured.workers()
    rows = [[w.title, label, *(number(megabytes.get(p)) for p in workers)]
            for w, of_workload in curves.values() for label, megabytes in of_workload.items()]
    above = {p for w, _ in curves.values() for p in w.oversubscribed()}
    header = ["workload", "variant", *(f"P = {p}{MARK if p in above else ''}" for p in workers)]
    note = f"; {NOTE}" if above else ""
    if rows:
        yield Table(f"MRSS, MB{note}", header, rows, names=2)
    rows = [[w.title, label, *(_workers_alone(w, label, p) for p in workers)]
            for w, of_workload in curves.values() for label in of_workload
            if any(w.results.rss_of_workers(label, p) is not None for p in workers)]
    if rows:
        yield Table("Of it what the workers take, MB: beyond the process with its problem, before "
                    f"they start{note}", header, rows,
                    names=2)


def _workers_alone(workload, label, workers):
    size = workload.results.rss_of_workers(label, workers)
    return number(None if size is None else size / 1e6)


def _picture(workload, curves, fits):
    said = ", ".join(f"{label} {'undetermined' if found.error is None else f'{found.n:.2f}'}"
                     for label, found in fits.items())
    return Picture(f"memory-{workload.slug}",
                   f"Lines: peak memory of {workload.title} against workers; exponents: {said}",
                   f"{workload.title}: points are measured, lines the fit.",
                   _lines(workload, curves, fits))


@draw.styled
def _lines(workload, curves, fits):
    figure, ax = draw.axes(3.0)
    workers = sorted({p for label in fits for p in curves[label]})
    for label, found in fits.items():
        style = of_variants(workload)[label]
        ax.plot(list(curves[label]), list(curves[label].values()), **{**style, "linestyle": "none"},
                label=label)
        along = np.geomspace(min(curves[label]), max(curves[label]), 60)
        ax.plot(along, found(along), color=style["color"], linestyle=style["linestyle"])
    log = draw.needs_log([y for label in fits for y in curves[label].values()])
    if log:
        ax.set_yscale("log")
    else:
        ax.set_ylim(bottom=0)
    draw.plain_numbers(ax.yaxis)
    draw.worker_ticks(ax, workers, workload.oversubscribed())
    ax.set_ylabel(f"MRSS, MB{', logarithmic' if log else ''}")
    draw.legend_below(ax)
    return figure
