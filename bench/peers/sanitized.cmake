# SPDX-License-Identifier: Apache-2.0
# Beside nopal under a sanitizer: what else it can judge.
include(peers/libfork.cmake)
if(NOPAL_SANITIZE STREQUAL "address")
  nopal_bench_program(serial SOURCE serial DEFINITIONS NOPAL_BENCH_REAL_CALLS)
  nopal_bench_program(elision SOURCE nopal DEFINITIONS NOPAL_SERIAL INCLUDES ${PROJECT_SOURCE_DIR}/include)
  include(peers/tbb.cmake)
else()
  nopal_bench_absent(serial "has one thread")
  nopal_bench_absent(elision "has one thread")
  # It would take everything that one task hands to another for a race.
  nopal_bench_absent(tbb "its library is not compiled with ThreadSanitizer, which cannot see what orders its tasks")
endif()
nopal_bench_absent(openmp-gnu "its library is not compiled with sanitizers")
nopal_bench_absent(openmp-llvm "its library is not compiled with sanitizers")
nopal_bench_absent(opencilk "its runtime is not compiled with sanitizers")
nopal_bench_absent(rust "has sanitizers of another compiler")
