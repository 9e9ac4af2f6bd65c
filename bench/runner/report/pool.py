# SPDX-License-Identifier: Apache-2.0
"""The pool between producers and consumers, in the figures of the paper on it (Gidron et al. 2012, section 1.6)."""

from ..pool.figures import FIGURES
from ..pool.tables import NOTE, loads, table, throughput
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
            items.append(missing(f"{figure.title} ({figure.published} of the paper)", f"./run bench pool --figure {figure.name}"))
        else:
            items += _figure(figure, found.results)
    return Part("pool", TITLE, [
        Text("How many tasks come out of a pool in a second while producers put and consumers get, and do nothing else. "
             "A hollow point, and in tables a star, has more threads than CPUs; where they are as many stands a line. Ratios "
             "are formed within rounds: above 1 the first is faster. Mechanisms of `nopal::pool` have solid lines, other queues "
             "dashed ones."), *items])


def _figure(figure, results):
    of_all = loads(results)
    for slug, what, chosen, axis in _plots(figure, of_all):
        curves = _curves(chosen, axis)
        if any(len(points) > 1 for points in curves.values()):
            yield _picture(figure, f"{figure.section}{slug}", what, curves, axis)
    yield Table(f"{figure.title.capitalize()}: {figure.published} of the paper. {NOTE}", *table(figure, results))


def _plots(figure, of_all):
    """(suffix of the file's name, what it shows, loads, axis) of each plot of a figure."""
    if figure.name == "one-producer":
        one_producer = {load: records for load, records in of_all.items() if load.producers == 1}
        one_consumer = {load: records for load, records in of_all.items() if load.consumers == 1}
        yield "", "one producer", one_producer, pool_axes.CONSUMERS
        yield "-one-consumer", "one consumer", one_consumer, pool_axes.PRODUCERS
    else:
        yield "", figure.title, of_all, pool_axes.OF_FIGURE[figure.name]


def _curves(of_all, axis):
    """Name of the line -> {x: records}."""
    curves = {}
    for load, records in of_all.items():
        curves.setdefault(_line_of(load), {})[axis.x(load)] = records
    return curves


def _line_of(load):
    return load.variant if load.pinned else f"{load.variant}, not pinned"


def _picture(figure, name, what, curves, axis):
    last = max(x for points in curves.values() for x in points)
    said = ", ".join(f"{line} {number(throughput(points[last]).median)}" for line, points in curves.items() if last in points)
    return Picture(name, f"Lines: million tasks a second, {what}; {axis.name} {axis.tick(last)}: {said}",
                   f"{what.capitalize()} ({figure.published} of the paper): million tasks a second, medians, with the range of "
                   "the runs.", pool_axes.lines(curves, axis))
