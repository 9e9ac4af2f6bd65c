#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A parallel loop over numpy arrays, by ctypes: each language that can call C can call nopal.

Python runs one thread's code at a time (the global interpreter lock), so the parts of a loop run at
the same time only while they are in code that frees the lock, as numpy's functions on large arrays
do. Usage: python_loop.py LIBNOPAL.SO
"""
import ctypes
import sys

try:
    import numpy
except ImportError:
    print("skipped: this python3 has no numpy (Debian package: python3-numpy)")
    sys.exit(77)

nopal = ctypes.CDLL(sys.argv[1])
BODY = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
nopal.nopal_for.argtypes = [ctypes.c_int64] * 3 + [BODY, ctypes.c_void_p]
nopal.nopal_last_error.restype = ctypes.c_char_p


def parallel_for(n, f, grain=0):
    """Calls f(begin, end) for parts of range(n), and returns when all have ended."""
    thrown = []

    def call(_, begin, end):
        try:
            f(begin, end)
        except BaseException as e:  # ctypes would print it and go on
            thrown.append(e)

    error = nopal.nopal_for(0, n, grain, BODY(call), None)
    if thrown:
        raise thrown[0]
    if error:
        raise OSError(error, nopal.nopal_last_error().decode())


x = numpy.linspace(0, 100, 4_000_000)
y = numpy.empty_like(x)
parallel_for(len(x), lambda begin, end: numpy.sin(x[begin:end], out=y[begin:end]), 100_000)
print("the greatest sine is", y.max())
sys.exit(0 if numpy.array_equal(y, numpy.sin(x)) else 1)
