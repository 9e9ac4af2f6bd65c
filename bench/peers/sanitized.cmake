# SPDX-License-Identifier: Apache-2.0
# The peers under a sanitizer: those whose own code it sees, or whose missing instrumentation it can do without.
include(peers/libfork.cmake)
if(NOPAL_SANITIZE STREQUAL "address")
  include(peers/tbb.cmake)
else()
  # It would take everything that one task hands to another for a race.
  nopal_bench_absent(tbb "its library is not compiled with ThreadSanitizer, which cannot see what orders its tasks")
endif()
nopal_bench_absent(openmp-gnu "its library is not compiled with sanitizers")
nopal_bench_absent(openmp-llvm "its library is not compiled with sanitizers")
nopal_bench_absent(opencilk "its runtime is not compiled with sanitizers")
nopal_bench_absent(rust "another compiler's sanitizers")
