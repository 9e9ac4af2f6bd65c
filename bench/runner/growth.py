# SPDX-License-Identifier: Apache-2.0
"""How peak memory grows with workers: its exponent (Williams and Elliott 2024, equation 17)."""

import warnings

import numpy as np
from scipy.optimize import OptimizeWarning, curve_fit

FEWEST = 4  # numbers of workers: a curve with three parameters goes through any three points


def fit(megabytes):
    """MRSS = a + b M_1 P^n, fitted to {workers: MB}: (the curve, n, the error of n); the last two
    None where the data hardly determine n. None where the fit does not converge, or there is too
    little to fit."""
    if len(megabytes) < FEWEST or 1 not in megabytes:
        return None
    m1 = megabytes[1]

    def model(p, a, b, n):
        return a + b * m1 * np.asarray(p, dtype=float) ** n

    p, y = (np.array(v, dtype=float) for v in (list(megabytes), list(megabytes.values())))
    try:
        with warnings.catch_warnings():
            # that the covariance is unknown shows in it
            warnings.simplefilter("ignore", OptimizeWarning)
            found, covariance = curve_fit(model, p, y, p0=(m1 / 2, 0.5, 1.0),
                                          bounds=((0, 0, 0), (np.inf, np.inf, 4)), max_nfev=10_000)
    except RuntimeError:
        return None

    def curve(p):
        return model(p, *found)

    n, error = float(found[2]), float(np.sqrt(covariance[2, 2]))
    # without growth any n does, with b = 0, or n = 0 with any b
    determined = np.ptp(y) > 0 and n > 1e-6 and error < 1
    return (curve, n, error) if determined else (curve, None, None)
