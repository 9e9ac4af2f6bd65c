# SPDX-License-Identifier: Apache-2.0
"""Libraries and their colours, the same everywhere.

The colours differ from each other also for people with any of the three kinds of colour blindness.
"""

import re

from .programs import place

NOPAL = "nopal"
BASELINE = "serial"

COLOURS = {
    NOPAL: "#c42f00",
    "libfork": "#a8438f",
    "chili": "#3d3d3d",
    "rayon": "#d69a00",
    "oneTBB": "#23449c",
    "libgomp": "#00785a",
    "libomp": "#3fa7e0",
    "Taskflow": "#780000",
    "TooManyCooks": "#7878f0",
    "OpenCilk": "#9000f0",
    BASELINE: "#767677",
}
OTHER = "#777778"  # a library that has no colour of its own yet


def library_of(record):
    """The library that a record is of; the serial programs, and nopal's without forks, are the
    baseline."""
    if re.split("[ @]", record["label"])[-1].startswith(("serial", "elision")):
        return BASELINE
    return record.get("peer", {}).get("name", "unknown").removeprefix("OpenMP, ")


def colour(library):
    return COLOURS.get(library, OTHER)


def order(library):
    """nopal first, then the peers as in COLOURS, then what is not known here."""
    return place(library, list(COLOURS))
