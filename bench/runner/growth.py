# SPDX-License-Identifier: Apache-2.0
"""How peak memory grows with workers: its exponent (Williams and Elliott 2024, equation 17)."""

import warnings
from dataclasses import dataclass

import numpy as np
from scipy.optimize import OptimizeWarning, curve_fit

FEWEST = 4  # numbers of workers: a curve with three parameters goes through any three points


@dataclass(frozen=True)
class Fit:
    """MRSS = a + b M_1 P^n, in MB. error: of n, from the covariance; None where the data hardly
    determine n."""

    a: float
    b: float
    n: float
    error: float | None
    m1: float

    def __call__(self, workers):
        return self.a + self.b * self.m1 * np.asarray(workers, dtype=float) ** self.n


def fit(megabytes):
    """The fit to {workers: MB}; None where it does not converge, or there is too little to fit."""
    if len(megabytes) < FEWEST or 1 not in megabytes:
        return None
    m1 = megabytes[1]
    p, y = (np.array(v, dtype=float) for v in (list(megabytes), list(megabytes.values())))
    try:
        with warnings.catch_warnings():
            # that the covariance is unknown shows in it
            warnings.simplefilter("ignore", OptimizeWarning)
            (a, b, n), covariance = curve_fit(lambda p, a, b, n: a + b * m1 * p**n, p, y,
                                              p0=(m1 / 2, 0.5, 1.0),
                                              bounds=((0, 0, 0), (np.inf, np.inf, 4)),
                                              max_nfev=10_000)
    except RuntimeError:
        return None
    error = float(np.sqrt(covariance[2, 2]))
    # without growth any n does, with b = 0, or n = 0 with any b
    determined = np.ptp(y) > 0 and n > 1e-6 and error < 1
    return Fit(float(a), float(b), float(n), error if determined else None, m1)
