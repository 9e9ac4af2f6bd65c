# SPDX-License-Identifier: Apache-2.0
"""The pool between producers and consumers, in the figures of the paper on it (Gidron et al. 2012,
section 1.6)."""

from ..pool.figures import FIGURES
from ..pool.tables import NOTE, ONE_NODE_NOTE, has_one_node, loads, table
from ..tables import number
from . import pool_axes
from .contents import Part, Picture, Table, Text, missing

TITLE = "The producer-consumer pool"


def part(measured):
    if not measured.pool:
        return Part("pool", TITLE, [missing("the pool was not measured", "./run bench pool")])
    items = []
    for figure in FIGURES.values():
        found = measured.pool.get(figure.section)
        if found is None or not found.results.good:
            items.append(missing(f"{figure.title} ({figure.origin})",
                                 f"./run bench pool --figure {figure.name}"))
        else:
            items += _figure(figure, found.results)
    return Part("pool", TITLE, [
        Text("How many tasks come out of a pool in a second while producers put and consumers get, "
             "and do nothing else. "
             "A hollow point, and in tables a star, has more threads than CPUs; where they are as "
             "many stands a line. Ratios "
             "are formed within rounds: above 1 the first is faster. Mechanisms of `nopal::pool` "
             "have solid lines, other queues "
             "dashed ones. Compare-and-swaps are counted by a program of its own, which is built "
             "with events and not for speed: "
             "those of all threads, failed ones too, from the first task to the last."), *items])


def _figure(figure, results):
    of_all = loads(results)
    for slug, what, chosen, axis in _plots(figure, of_all):
        curves = _curves(chosen, axis)
        if any(len(points) > 1 for points in curves.values()):
            yield _picture(figure, f"{figure.section}{slug}", what, curves, axis, _note(results))
    yield Table(f"{_as_sentence(figure.title)}: {figure.origin}. "
                f"{NOTE}{_note(results)}", *table(figure, results))


def _as_sentence(title):
    return title[0].upper() + title[1:]  # capitalize() would write cpus


def _note(results):
    return f"; {ONE_NODE_NOTE}" if has_one_node(results.good) else ""


def _plots(figure, of_all):
    """(suffix of the file's name, what it shows, loads, axis) of each plot of a figure."""
    if figure.name == "one-producer":
        one_producer = {load: records for load, records in of_all.items() if load.producers == 1}
        one_consumer = {load: records for load, records in of_all.items() if load.consumers == 1}
        yield "", "one producer", one_producer, pool_axes.CONSUMERS
        yield "-one-consumer", "one consumer", one_consumer, pool_axes.PRODUCERS
    else:
        # the quantity is named beside it
        what = "one producer" if figure.name == "swaps" else figure.title
        yield "", what, of_all, pool_axes.OF_FIGURE[figure.name]


def _curves(of_all, axis):
    """Name of the line -> {x: records}."""
    curves = {}
    for load, records in of_all.items():
        curves.setdefault(_line_of(load), {})[axis.x(load)] = records
    return curves


def _line_of(load):
    more = ["" if load.pinned else "not pinned", "memory on one node" if load.one_node else "",
            "producer alone" if load.producers_alone else ""]
    return ", ".join(filter(None, [load.variant, *more]))


def _picture(figure, name, what, curves, axis, note):
    of, last = figure.quantity, max(x for points in curves.values() for x in points)
    said = ", ".join(f"{line} {number(of.of(points[last]).median)}"
                     for line, points in curves.items() if last in points)
    return Picture(name, f"Lines: {of.name}, {what}; {axis.name} {axis.tick(last)}: {said}",
                   f"{_as_sentence(what)} ({figure.origin}): {of.name}, medians, "
                   "with the range of the "
                   f"runs{note}.",
                   pool_axes.lines(curves, axis, of))
