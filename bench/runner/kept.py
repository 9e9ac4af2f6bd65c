# SPDX-License-Identifier: Apache-2.0
"""Figures as bench/results.json keeps them."""


def digits(value):
    """Three, and no more zeros than are needed."""
    if value is None:
        return None
    rounded = float(f"{value:.3g}")
    return int(rounded) if rounded == int(rounded) and abs(rounded) >= 1000 else rounded


def as_list(spread):
    """[median, lowest, highest]."""
    return spread and [digits(spread.median), digits(spread.low), digits(spread.high)]


def megabytes(value):
    return None if value is None else digits(value / 1e6)


def without_none(case):
    return {key: value for key, value in case.items() if value is not None}
