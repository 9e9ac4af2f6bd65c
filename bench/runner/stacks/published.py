# SPDX-License-Identifier: Apache-2.0
"""What Lee, Boyd-Wickizer, Huang and Leiserson, PACT 2010, found with Cilk-M 1.0."""

# Figure 9: pages of stacks for each of 16 workers, S_16/16, the most of ten runs.
PAGES_OF_EACH = {"cholesky": 3.19, "cilksort": 3.19, "fft": 3.75, "fib": 3.69, "fibx": 8.44,
                 "heat": 2.38, "knapsack": 5.00, "lu": 3.19, "matmul": 3.31, "nqueens": 3.25,
                 "rectmul": 4.06, "strassen": 3.13}
WORKERS = 16
