# SPDX-License-Identifier: Apache-2.0
# nopal's programs and the serial ones by clang++ too, where the rest is compiled by another: for
# workloads whose leaves it compiles better or worse, and beside peers that it compiles.
if(CMAKE_CROSSCOMPILING OR CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  return()
endif()
find_program(NOPAL_BENCH_CLANG NAMES clang++-19 clang++ DOC
  "Compiler of the benchmarks serial-llvm and nopal-llvm")
mark_as_advanced(NOPAL_BENCH_CLANG)
foreach(family IN ITEMS serial-llvm nopal-llvm)
  if(NOT NOPAL_BENCH_CLANG)
    nopal_bench_absent(${family} "clang++ not found (Debian: clang-19)")
  endif()
endforeach()
if(NOT NOPAL_BENCH_CLANG)
  return()
endif()

nopal_bench_other_compiler(serial-llvm COMPILER ${NOPAL_BENCH_CLANG} SOURCE serial
  WORKLOADS ${nopal_bench_repeated} KERNELS ${nopal_bench_serial_kernels}
  DEFINITIONS NOPAL_BENCH_REAL_CALLS)
nopal_bench_other_compiler(nopal-llvm COMPILER ${NOPAL_BENCH_CLANG} SOURCE nopal ALSO nopal_task
  WORKLOADS ${nopal_bench_repeated}
  KERNELS ${nopal_bench_nopal_kernels} ${nopal_bench_task_kernels}
  DEFINITIONS ${nopal_definitions} "NOPAL_BENCH_VERSION=\"${PROJECT_VERSION}\""
              "NOPAL_BENCH_DEQUE=\"${NOPAL_DEQUE}\"" "NOPAL_BENCH_JOIN=\"${NOPAL_JOIN}\""
  INCLUDES ${nopal_variants} ${PROJECT_SOURCE_DIR}/include
  LIBRARIES nopal
  LINK ${nopal_hwloc_LINK_LIBRARIES} ${nopal_liburing_LINK_LIBRARIES}
    ${nopal_highway_LINK_LIBRARIES} -pthread)
