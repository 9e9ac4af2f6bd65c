# SPDX-License-Identifier: Apache-2.0
"""Figures as cells of a table."""

from ..tables import number


def spread(values):
    """2.19 (2.09..2.30); without the range where there was one round."""
    if values is None:
        return number(None)
    median, low, high = values
    return number(median) if low == high else f"{number(median)} ({number(low)}..{number(high)})"


def scatter(spreads):
    """How far any round lay from its median, in per cent: the most of these spreads."""
    shares = [max(high / median - 1, 1 - low / median) for median, low, high in spreads]
    return f"{100 * max(shares):.0f}%" if shares else number(None)
