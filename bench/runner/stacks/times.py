# SPDX-License-Identifier: Apache-2.0
"""The time with mapped stacks over that with the default ones (Lee and others 2010, figure 8)."""

from ..charts import Bars
from ..tables import nested, pivot
from ..targets import Target
from .figure import (
    DEFAULT, MAPPED, Figure, by_workers, front_end_of, in_turn, of_default, short, workload_of)
from .published import drawn


def jobs(asked, programs):
    """The programs with mapped stacks, and those that are the same with the default ones."""
    mapped = programs.of("nopal-mapped")
    names = {(v.workload, v.name.replace(MAPPED, DEFAULT)) for v in mapped}
    both = [v for v in programs.variants if (v.workload, v.name) in names] + mapped
    return [asked.job(v, p) for v in in_turn(v for v in both if asked.has(v))
            for p in asked.workers_or([2])]


def cases(results):
    """over_default: the time with mapped stacks over that with the default ones."""
    found = []
    for label, p in results.keys():
        default = (of_default(label), p)
        if default[0] != label and (ratio := results.ratio((label, p), default)) is not None:
            found.append({"label": default[0], "workers": p, "rounds": ratio.number,
                          "over_default": ratio})
    return found


def table(section):
    """By program and front end, and geometric means."""
    return pivot("T_mapped/T_default", (
        (workload_of(c["label"]), f"{front_end_of(c['label'])}, P = {c['workers']}",
         c["over_default"]) for c in section.cases), means=True)


def charts(section):
    for p, found in by_workers(section, "over_default").items():
        rows = nested((workload_of(label), front_end_of(label), found[label])
                      for label in drawn(found))
        yield Bars(f"mapped-time-{p}", "Time with mapped stacks over that with the default ones, "
                   f"{p} workers.", f"mapped/default, P = {p}", rows, 1)


def targets(size, found):
    for c in found:
        yield Target(f"{short(c['label'])}, mapped over default, P = {c['workers']}",
                     c["over_default"][0], 1.05, 1.0, True)


TIME = Figure("time", "time with mapped stacks over that with the default ones",
              "Lee and others 2010, figure 8", jobs, cases, table, charts, targets,
              ("nopal-mapped",))
