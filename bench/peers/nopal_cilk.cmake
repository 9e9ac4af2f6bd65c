# SPDX-License-Identifier: Apache-2.0
# nopal by Cilk's keywords: the programs that OpenCilk has, compiled by nopal's own wrapper.
if(NOT NOPAL_BUILD_CILK)
  nopal_bench_absent(nopal-cilk "NOPAL_BUILD_CILK is off")
  return()
endif()
nopal_bench_kernels(nopal_bench_cilk_kernels opencilk ${nopal_bench_recursions}
  ${nopal_bench_loops})
nopal_bench_other_compiler(nopal-cilk COMPILER ${PROJECT_BINARY_DIR}/plugins/cilk/nopal-c++
  SOURCE cilk SESSION opencilk KERNELS ${nopal_bench_cilk_kernels}
  FLAGS -fno-finite-loops
  DEFINITIONS ${nopal_definitions} "NOPAL_BENCH_VERSION=\"${PROJECT_VERSION}\""
              "NOPAL_BENCH_DEQUE=\"${NOPAL_DEQUE}\"" "NOPAL_BENCH_JOIN=\"${NOPAL_JOIN}\""
  INCLUDES ${PROJECT_SOURCE_DIR}/include
  LIBRARIES nopal
  NEEDS nopal_cilk_plugin ${PROJECT_BINARY_DIR}/plugins/cilk/nopal_cilk.bc
  LINK ${nopal_hwloc_LINK_LIBRARIES} ${nopal_liburing_LINK_LIBRARIES}
    ${nopal_highway_LINK_LIBRARIES} -pthread)
add_dependencies(nopal_bench_nopal-cilk nopal_cilk)
