# SPDX-License-Identifier: Apache-2.0
"""Libraries and their colours, the same everywhere.

The colours differ from each other also for people with any of the three kinds of colour blindness.
"""

import re

from .programs import place

NOPAL = "nopal"
BASELINE = "serial"

# Library -> its colour on white, and on dark.
COLOURS = {
    NOPAL: ("#c42f00", "#ff7a45"),
    "libfork": ("#a8438f", "#e08ac8"),
    "chili": ("#3d3d3d", "#e6e6e6"),
    "rayon": ("#d69a00", "#f5d565"),
    "oneTBB": ("#23449c", "#7f9bff"),
    "libgomp": ("#00785a", "#2fb98f"),
    "libomp": ("#3fa7e0", "#86d3fb"),
    "Taskflow": ("#780000", "#f0a800"),
    "TooManyCooks": ("#7878f0", "#c0f0a8"),
    "OpenCilk": ("#9000f0", "#90c078"),
    BASELINE: ("#767677", "#9a9a9b"),
}
OTHER = ("#777778", "#9c9c9d")  # a library that has no colour of its own yet


def library_of(record):
    """The library that a record is of; the serial programs, and nopal's without forks, are the
    baseline."""
    if re.split("[ @]", record["label"])[-1].startswith(("serial", "elision")):
        return BASELINE
    return record.get("peer", {}).get("name", "unknown").removeprefix("OpenMP, ")


def colour(library):
    """On white."""
    return COLOURS.get(library, OTHER)[0]


def order(library):
    """nopal first, then the peers as in COLOURS, then what is not known here."""
    return place(library, list(COLOURS))
