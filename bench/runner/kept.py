# SPDX-License-Identifier: Apache-2.0
"""Figures as bench/results.json keeps them."""


def digits(value):
    """Three, and no more zeros than are needed."""
    if value is None:
        return None
    rounded = float(f"{value:.3g}")
    return int(rounded) if rounded == int(rounded) and abs(rounded) >= 1000 else rounded


def rounded(value):
    """A case, or what is in it, with three digits in each number that is no integer."""
    if isinstance(value, dict):
        return {key: rounded(of) for key, of in value.items()}
    if isinstance(value, list):
        return [rounded(of) for of in value]
    return digits(value) if isinstance(value, float) else value


def as_list(spread):
    """[median, lowest, highest]."""
    return spread and spread.as_list()


def megabytes(value):
    return None if value is None else digits(value / 1e6)


def without_none(case):
    return {key: value for key, value in case.items() if value is not None}
