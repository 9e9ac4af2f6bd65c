# SPDX-License-Identifier: Apache-2.0
# nopal's programs on the library with a lock in each join, on that with the deque of the THE
# protocol, and on that with both (Pfeiffer 2020, figure 5.2): the workloads of the papers.

# nopal_bench_locked(FAMILY DEQUE JOIN)
function(nopal_bench_locked family deque join)
  if(nopal_is_variant)
    nopal_bench_absent(${family} "this build has another deque, join or fork itself")
    return()
  endif()
  # What nopal_add_library() and the records go by.
  set(NOPAL_DEQUE ${deque})
  set(NOPAL_JOIN ${join})
  set(nopal_is_variant ON)
  if(deque STREQUAL "the")
    list(APPEND nopal_definitions NOPAL_DEQUE_VARIANT=1 NOPAL_DEQUE_THE=1)
  endif()
  if(join STREQUAL "locked")
    list(APPEND nopal_definitions NOPAL_JOIN_LOCKED=1)
  endif()
  string(REPLACE "-" "_" library ${family})
  nopal_add_library(${library} STATIC EXCLUDE_FROM_ALL)
  nopal_bench_program(${family} SOURCE nopal KERNELS ${nopal_bench_nopal_kernels}
    WORKLOADS ${nopal_bench_papers} LIBRARIES ${library})
endfunction()

nopal_bench_locked(nopal-locked asymmetric locked)
if(NOPAL_BENCH_BRIEF)
  nopal_bench_absent(nopal-the "NOPAL_BENCH_BRIEF is on")
  nopal_bench_absent(nopal-the-locked "NOPAL_BENCH_BRIEF is on")
else()
  nopal_bench_locked(nopal-the the waitfree)
  nopal_bench_locked(nopal-the-locked the locked)
endif()
