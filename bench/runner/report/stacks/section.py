# SPDX-License-Identifier: Apache-2.0
"""What was measured of a figure of stacks, or the line that says what measures it."""

from ..contents import missing


def records_of(measured, figure):
    """Results; None where nothing was measured of it."""
    found = measured.stacks.get(figure.section)
    return found.results if found is not None and found.results.good else None


def lacks(figure):
    return missing(figure.what, f"./run bench stacks --figure {figure.name}")
