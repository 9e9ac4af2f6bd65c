# SPDX-License-Identifier: Apache-2.0
"""The tables of the documents, each a function from the committed results to Markdown. A marker in
a document names one."""

from pathlib import Path

from .. import echo, memory, micro, workloads
from ..pool import figures as pool
from ..stacks.figures import FIGURES
from ..stacks.pages import by_front_end
from ..stacks.reclaim import of_front_ends
from ..stm import figures as stm
from ..tables import Table, machine_name, with_machines, wrapped
from .results import NotMeasured


# Every figure and table of the five papers: what makes nopal's, where it stands, and what is to be
# said, among it why it cannot be made here.
PAPERS = Path(__file__).with_name("papers.tsv")


def _machine(committed):
    """Where and when, and what was compiled by what."""
    dates, sections = {}, {}
    for run in committed.runs:
        dates.setdefault(machine_name(run), set()).add(run["started"][:10])
    for section in committed.sections:
        sections.setdefault(machine_name(committed.run_of(section)), {})[section.name] = None
    most = max(sections, key=lambda name: len(sections[name]))
    where = "; ".join(f"{name}, {' to '.join(sorted({min(when), max(when)}))}"
                      + ("" if name == most else f" ({', '.join(sections.get(name, []))})")
                      for name, when in dates.items())
    by_compiler = {}
    for library in committed.libraries:
        if library["name"] not in ("serial", "nopal", "std::deque", "std::mutex",
                                   "std::shared_mutex"):
            version = library["version"].split(",")[0].replace("_", ".")
            names = by_compiler.setdefault(library["compiler"], [])
            names.append(f"{library['name']} {version}".removesuffix(" –"))
    compiled = "; ".join(f"by {compiler}: {', '.join(names)}"
                         for compiler, names in by_compiler.items())
    notes = dict.fromkeys(f" {run['note']}" for run in committed.runs if "note" in run)
    return wrapped(f"{where}. The peers are compiled {compiled}; nopal and the serial programs by "
                    f"g++ and by clang++.{''.join(notes)}")


def _commands(committed):
    commands = dict.fromkeys(run["command"] for run in committed.runs)
    return "```\n" + "".join(f"{command}\n" for command in commands) + "```\n"


def _failures(committed):
    """A wrong result is one reason, whatever it was."""
    found = {}
    for section in committed.sections:
        for label, workers, reason in section.failures:
            key = ("wrong result" if ": wrong result: " in reason else reason, section.title)
            found.setdefault(key, {}).setdefault(label, []).append(str(workers))
    if not found:
        return "Nothing was ended, and nothing failed.\n"
    return Table(["reason", "workload", "what failed"], [
        [*key, "; ".join(f"{label}, P = {' and '.join(workers)}"
                         for label, workers in of.items())] for key, of in found.items()])


def _latencies(committed):
    names = ("call_price", "steal_latency", "wakeup_latency", "signal_latency", "idle_cpu")
    found = [(section, c) for name in names for section in committed.sections
             if section.name == name for c in section.cases]
    if not found:
        raise NotMeasured(f"bench/results.json has none of {', '.join(names)}")
    return with_machines(committed, [section for section, _ in found],
                         micro.table(c for _, c in found))


def _of_stacks(figure):
    """The table of a figure. Where that was not measured, the document says what does."""
    def table(committed):
        section = committed.find(figure.section)
        return (figure.table(section) if section
                else f"`./run bench stacks --figure {figure.name}` measures this.\n")
    return table


def _papers(_committed):
    header, *lines = PAPERS.read_text(encoding="utf-8").splitlines()
    rows = []
    for line in lines:
        paper, what, command, place, note, *_ = *line.split("\t"), "", "", ""  # the last lack
        document = place.split("#")[0].split("/")[-1]
        rows.append([paper, what, f"`{command}`" if command else "–",
                     f"[{document}]({place})" if place else "–", note])
    return Table(header.split("\t"), rows)


TABLES = {
    "machine": _machine,
    "commands": _commands,
    "failures": _failures,
    "latencies": _latencies,
    "fork cost": workloads.fork_cost,
    "forks": workloads.every_library,
    "workloads": workloads.own,
    "peers": workloads.peers,
    "losses": workloads.losses,
    "memory": memory.of_two,
    "growth": memory.growth,
    "stack pages": by_front_end,
    "reclaim": of_front_ends,
    **{f"stacks {name}": _of_stacks(figure) for name, figure in FIGURES.items()},
    "spawn": workloads.spawn,
    "echo": echo.table,
    "pool": pool.throughput,
    "pool chunks": pool.chunks,
    **{f"pool {name}": pool.by_sides(name)
       for name in ("ratios", "swaps", "balancing", "pinning")},
    "pool one producer": pool.by_sides("one-producer", lambda load: load.producers == 1),
    "pool one consumer": pool.by_sides("one-producer", lambda load: load.consumers == 1),
    "papers": _papers,
    "transactions": stm.workloads,
    "one var": stm.one_var,
    "cache misses": lambda committed: stm.table(committed.section("stm-misses")),
    "read-sets": lambda committed: stm.table(committed.section("stm-read-sets")),
    "contention": stm.contention,
    "locality": stm.locality,
}
