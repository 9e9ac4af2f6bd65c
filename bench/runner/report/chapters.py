# SPDX-License-Identifier: Apache-2.0
"""The chapters of the page, from the committed results, or from others that are as they are."""

from .. import memory, workloads
from ..committed.results import NotMeasured
from ..committed.tables import TABLES
from ..pool.figures import FIGURES as POOL
from ..stacks.figures import FIGURES as STACKS
from ..stm import figures as stm
from ..tables import Table, number
from .page import HEADING, Chapter


def chapters(committed):
    """All of them, in order. Where something was not measured, a line says what measures it."""
    def table(name):
        try:
            return TABLES[name](committed)
        except NotMeasured as error:
            return f"Left out: {error}."

    return [
        Chapter("summary", "nopal against its peers", [
            "T_peer/T_nopal: how many times nopal's time the peer takes; below 1, nopal loses. Of "
            "nopal's variants the fastest counts, of those by the peer's compiler where there are "
            "any.", *workloads.peer_charts(committed), table("peers"), table("workloads"),
            f"{HEADING}Every case in which a peer was faster in each round", table("losses")]),
        Chapter("overhead", "Work overhead, T_1/T_s", [
            "T_1: the time of one worker. T_s: that of the serial program by the same compiler. "
            "Shorter is better; 1 would be a fork that costs nothing.",
            *workloads.overhead_charts(committed), table("forks"), table("spawn")]),
        Chapter("scaling", "Speedup, T_s/T_P", [
            "The serial program's time by that of P workers.",
            *workloads.speedup_charts(committed)]),
        Chapter("grain", "The work that a fork needs", [
            "Efficiency T_s/(P T_P) against the size n; in `master` the work of each node is "
            "proportional to n.", *workloads.grain_charts(committed)]),
        Chapter("memory", "Memory", [
            "Peak resident set of the process (MRSS), and the fit MRSS = a + b·M_1·P^n to it, M_1 "
            "that of one worker. Memory does not ask for CPUs, so more workers than CPUs count.",
            *memory.growth_charts(committed), table("growth"), table("memory")]),
        Chapter("stacks", "Cactus stacks", [
            *_figures(committed, "stacks", STACKS),
            f"{HEADING}Pages of stacks in every workload, over the bound S_1 + D",
            table("stack pages")]),
        Chapter("pool", "The producer-consumer pool", list(_figures(committed, "pool", POOL))),
        Chapter("stm", "Transactions", [
            "The same programs with the locks of transactions in the data, in a table, and beside "
            "other means.", *stm.charts(committed),
            *map(table, ("transactions", "one var", "contention", "locality", "cache misses",
                         "read-sets"))]),
        Chapter("latencies", "Latencies and servers", [table("latencies"), table("echo")]),
        Chapter("facts", "What was measured", [
            table("machine"), table("failures"), _libraries(committed), _runs(committed)]),
    ]


def _figures(committed, command, figures):
    for figure in figures.values():
        yield f"{HEADING}{figure.what[0].upper()}{figure.what[1:]} ({figure.origin})"
        if (section := committed.find(figure.section)) is None:
            yield f"Left out: `./run bench {command} --figure {figure.name}` measures it."
            continue
        if figure.note:
            yield figure.note
        yield from figure.charts(section)
        yield figure.table(section)


def _libraries(committed):
    return Table(["library", "version", "compiler", "flags"],
                 [[x[key] for key in ("name", "version", "compiler", "flags")]
                  for x in committed.libraries])


def _runs(committed):
    return Table(["run", "started", "size", "processor", "compilers"],
                 [[run["command"], run["started"], run["size"] or number(None),
                   run["machine"]["processor"], ", ".join(run["compilers"]) or "unknown"]
                  for run in committed.runs])
