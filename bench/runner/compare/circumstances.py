# SPDX-License-Identifier: Apache-2.0
"""What differs between two runs besides the program: then the times tell less."""

from .cases import FASTER, SLOWER

MACHINE = {"cpu": "CPU", "cpus": "number of CPUs", "kernel": "kernel"}
BUILD = {"compiler": "compiler", "flags": "flags"}


def warnings(a, b, comparison):
    """Sentences for people; none if the two runs were made alike."""
    return [*_of_machine(a.machine, b.machine), *_of_builds(_builds(a), _builds(b)),
            *_of_baseline(comparison.cases)]


def _of_machine(a, b):
    return [f"{name} differs: {a.get(key)} in A, {b.get(key)} in B"
            for key, name in MACHINE.items() if a.get(key) != b.get(key)]


def _builds(document):
    """Label -> the builds that it was measured with."""
    found = {}
    for section in document.sections:
        for record in section.records:
            if "build" in record:
                found.setdefault(record["label"],
                                 set()).add(tuple(record["build"].get(key) for key in BUILD))
    return found


def _of_builds(a, b):
    """One sentence for each difference, with all labels that show it: mostly they all do."""
    labels_of = {}
    for label in a:
        if label in b and a[label] != b[label]:
            for index, name in enumerate(BUILD.values()):
                values = tuple(", ".join(sorted({str(build[index]) for build in side[label]}))
                               for side in (a, b))
                if values[0] != values[1]:
                    labels_of.setdefault((name, *values), []).append(label)
    return [f"{name} differs: {in_a} in A, {in_b} in B ({', '.join(labels)})"
            for (name, in_a, in_b), labels in labels_of.items()]


def _of_baseline(cases):
    """A serial program that changed says that the machine did, where nobody changed the program."""
    return [f"the serial program itself is {c.verdict}: {c.key}, B/A = {c.ratio:.3g}; judge the "
            "others by that"
            for c in cases if c.key.label == "serial" and c.verdict in (SLOWER, FASTER)]
