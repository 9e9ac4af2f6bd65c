# SPDX-License-Identifier: Apache-2.0
# Beside nopal under a sanitizer: what else it can judge.
include(peers/libfork.cmake)
if(NOPAL_SANITIZE STREQUAL "address")
  include(peers/tbb.cmake)
else()
  # It would take everything that one task hands to another for a race.
  nopal_bench_absent(tbb
    "its library is not compiled with ThreadSanitizer, which cannot see what orders its tasks")
endif()
nopal_bench_absent(serial "nopal's variants run the same kernels")
nopal_bench_absent(elision "nopal's variants run the same kernels")
nopal_bench_absent(openmp-gnu "its library is not compiled with sanitizers")
nopal_bench_absent(openmp-llvm "its library is not compiled with sanitizers")
nopal_bench_absent(opencilk "its runtime is not compiled with sanitizers")
nopal_bench_absent(rust "has sanitizers of another compiler")
