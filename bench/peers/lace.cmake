# SPDX-License-Identifier: Apache-2.0
# Lace, where it is installed (set lace_DIR or CMAKE_PREFIX_PATH); it is not fetched. Its tasks are
# functions that C macros define, so none of the kernels can say them.
find_package(lace CONFIG QUIET)
if(NOT TARGET lace::lace)
  nopal_bench_absent(lace "find_package(lace) found none")
  return()
endif()
nopal_bench_program(lace SOURCE lace LIBRARIES lace::lace
  WORKLOADS fib nqueens knapsack cilksort matmul uts skynet
  DEFINITIONS NOPAL_BENCH_LACE_VERSION="${lace_VERSION}")
