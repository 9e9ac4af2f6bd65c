# SPDX-License-Identifier: Apache-2.0
# nopal's programs on workers that are processes (docs/mapped.md): once for time, and once to count
# pages of stacks. What spawns does not fork: a task_scope is refused there.
foreach(family IN ITEMS nopal-mapped space-mapped)
  if(NOT NOPAL_BUILD_MAPPED)
    nopal_bench_absent(${family} "NOPAL_BUILD_MAPPED is off")
  endif()
endforeach()
if(NOT NOPAL_BUILD_MAPPED)
  return()
endif()

set(nopal_bench_mapped ${nopal_bench_repeated})
list(REMOVE_ITEM nopal_bench_mapped spawn)
nopal_bench_program(nopal-mapped SOURCE nopal KERNELS ${nopal_bench_nopal_kernels}
  WORKLOADS ${nopal_bench_mapped}
  LIBRARIES nopal::mapped
  DEFINITIONS NOPAL_BENCH_MAPPED)
nopal_bench_program(space-mapped SOURCE nopal KERNELS ${nopal_bench_nopal_kernels}
  WORKLOADS ${nopal_bench_mapped}
  LIBRARIES nopal_mapped_with_events
  DEFINITIONS NOPAL_BENCH_MAPPED NOPAL_BENCH_SPACE NOPAL_EVENTS_AT_FUNCTIONS
  INCLUDES ${PROJECT_SOURCE_DIR}/src)
