# SPDX-License-Identifier: Apache-2.0
"""How the line of each variant looks: the library gives colour and marker, the variant within it
the dashes."""

from .libraries import MARKERS, NOPAL, colour

DASHES = ("solid", (0, (4, 1.5)), (0, (1, 1.2)))


def of_variants(workload):
    """Label -> the options of matplotlib's plot and errorbar."""
    seen, styles = {}, {}
    for label in workload.labels():
        library = workload.library(label)
        number = seen[library] = seen.get(library, -1) + 1
        styles[label] = {"color": colour(library), "marker": MARKERS.get(library, "*"),
                         "markersize": 5,
                         "zorder": 3 if library == NOPAL else 2,
                         "linestyle": DASHES[number % len(DASHES)],
                         "markerfacecolor": "none" if number else colour(library)}
    return styles
