# SPDX-License-Identifier: Apache-2.0
"""Puts the report together and writes it."""

from . import (draw, everything, facts, grain, memory, overhead, pool, scaling, stacks, stm,
               summary)
from .contents import Picture
from .measured import merge
from .page import page

PARTS = (summary, overhead, scaling, grain, memory, stacks, pool, stm, facts, everything)


def write_report(documents, out):
    """report.html and a PNG of every figure, in the directory `out`. Returns the names of the
    files."""
    measured = merge(documents)
    parts = [module.part(measured) for module in PARTS]
    out.mkdir(parents=True, exist_ok=True)
    names = ["report.html"]
    (out / "report.html").write_text(page("nopal: measurements", _subtitle(measured), parts),
                                     encoding="utf-8")
    for part in parts:
        for item in part.items:
            if isinstance(item, Picture):
                names.append(f"{item.name}.png")
                draw.as_png(item.figure, out / names[-1])
    return names


def _subtitle(measured):
    dates = sorted(d.started[:10] for d in measured.documents)
    when = dates[0] if dates[0] == dates[-1] else f"{dates[0]} to {dates[-1]}"
    machine = measured.documents[0].machine
    build = ""
    if measured.build:
        build = f"; nopal's deque `{measured.build[0]}`, join `{measured.build[1]}`"
    return (f"{when}, {machine.get('cpu')}, {machine.get('cpus')} CPUs{build}. Median "
            "(lowest..highest), three "
            "significant digits.")
