# SPDX-License-Identifier: Apache-2.0
"""Intervals by resampling. The seed is fixed: the same records give the same interval."""

import numpy as np

SEED = 1
DRAWS = 10_000
QUANTILES = (0.025, 0.975)  # of 95 %


def median_ratio_interval(over, under):
    """The 95 % interval of median(over) / median(under); each is a list of processes, a process a
    list of values.

    Processes are drawn first, then values within each: repetitions within one process are more
    alike than processes are, and taken for independent they would make the interval too narrow.
    """
    generator = np.random.default_rng(SEED)
    ratios = _medians(over, generator) / _medians(under, generator)
    low, high = np.quantile(ratios, QUANTILES)
    return float(low), float(high)


def _medians(processes, generator):
    lengths = np.array([len(values) for values in processes])
    longest = lengths.max()
    padded = np.array([list(values) + [0.0] * (longest - len(values)) for values in processes])
    chosen = generator.integers(len(processes), size=(DRAWS, len(processes)))
    positions = generator.random((DRAWS, len(processes), longest)) * lengths[chosen][:, :, None]
    drawn = padded[chosen[:, :, None], positions.astype(int)]
    return np.median(drawn.reshape(DRAWS, -1), axis=1)
