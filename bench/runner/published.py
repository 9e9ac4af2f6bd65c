# SPDX-License-Identifier: Apache-2.0
"""Figures that others have published, to stand beside ours."""

# Williams and Elliott 2024, table II: the exponent of memory over workers, equation 17, and its
# error.
_LAZY, _BUSY, _TBB, _OMP = "libfork-lazy", "libfork-busy", "oneTBB", "libomp"
_EXPONENTS = {
    "fib": {_LAZY: (0.86, 0.08), _BUSY: (0.93, 0.06), _TBB: (1.06, 0.03), _OMP: (1.20, 0.10)},
    "integrate": {_LAZY: (0.96, 0.10), _BUSY: (0.94, 0.06), _TBB: (1.04, 0.03), _OMP: (1.07, 0.09)},
    "matmul": {_LAZY: (0.88, 0.08), _BUSY: (1.09, 0.11), _TBB: (1.07, 0.03), _OMP: (1.04, 0.13)},
    "nqueens": {_LAZY: (0.94, 0.03), _BUSY: (1.05, 0.07), _TBB: (1.11, 0.03), _OMP: (1.30, 0.07)},
    ("uts_geometric", 2): {_LAZY: (1.06, 0.05), _BUSY: (1.04, 0.03), _TBB: (0.78, 0.02),
                           _OMP: (1.18, 0.06)},
    ("uts_geometric", 3): {_LAZY: (1.08, 0.05), _BUSY: (0.99, 0.06), _TBB: (0.93, 0.06),
                           _OMP: (1.23, 0.08)},
    ("uts_geometric", 4): {_LAZY: (0.86, 0.10), _BUSY: (0.90, 0.03), _TBB: (0.92, 0.03),
                           _OMP: (1.08, 0.07)},
    ("uts_binomial", 2): {_LAZY: (0.83, 0.05), _BUSY: (0.87, 0.05), _TBB: (0.67, 0.03),
                          _OMP: (0.90, 0.03)},
    ("uts_binomial", 3): {_LAZY: (0.43, 0.03), _BUSY: (0.52, 0.03), _TBB: (1.00, 0.03),
                          _OMP: (1.01, 0.01)},
    ("uts_binomial", 4): {_LAZY: (0.38, 0.01), _BUSY: (0.36, 0.01), _TBB: (0.86, 0.01),
                          _OMP: (1.01, 0.01)},
}
# to nopal, of those published: also a continuation stealer whose idle workers sleep
NEAREST = _LAZY


def exponent(workload, n, label, library):
    """(exponent, error) of a variant, or of its library; None where none was published.

    Where n is a size, the one that was published need not be this one; where it is the number of a
    tree, it must.
    """
    of_workload = _EXPONENTS.get(workload) or _EXPONENTS.get((workload, n), {})
    return of_workload.get(label) or of_workload.get(library)
