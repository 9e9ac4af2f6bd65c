# SPDX-License-Identifier: Apache-2.0
"""Figures that others have published, to stand beside ours."""

# Williams and Elliott 2024, table II: the exponent of memory over workers, equation 17, and its error.
_LAZY, _BUSY, _TBB, _OMP = "libfork-lazy", "libfork-busy", "oneTBB", "libomp"
_EXPONENTS = {
    "fib": {_LAZY: (0.86, 0.08), _BUSY: (0.93, 0.06), _TBB: (1.06, 0.03), _OMP: (1.20, 0.10)},
    "integrate": {_LAZY: (0.96, 0.10), _BUSY: (0.94, 0.06), _TBB: (1.04, 0.03), _OMP: (1.07, 0.09)},
    "matmul": {_LAZY: (0.88, 0.08), _BUSY: (1.09, 0.11), _TBB: (1.07, 0.03), _OMP: (1.04, 0.13)},
    "nqueens": {_LAZY: (0.94, 0.03), _BUSY: (1.05, 0.07), _TBB: (1.11, 0.03), _OMP: (1.30, 0.07)},
}
NEAREST = _LAZY  # to nopal, of those published: also a continuation stealer whose idle workers sleep


def exponent(workload, label, library):
    """(exponent, error) of a variant, or of its library; None where none was published."""
    of_workload = _EXPONENTS.get(workload, {})
    return of_workload.get(label) or of_workload.get(library)
