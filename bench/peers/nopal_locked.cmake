# SPDX-License-Identifier: Apache-2.0
# nopal's programs on the library with a lock in each join, on that with the deque of the THE
# protocol, and on that with both (Pfeiffer 2020, figure 5.2): the workloads of the papers. And on
# that with the deque of Arora, Blumofe and Plaxton and with the one of Chase and Lev (Schmaus 2015,
# section 5.5): a few of them.

# nopal_bench_locked(FAMILY DEQUE JOIN WORKLOAD...)
function(nopal_bench_locked family deque join)
  if(nopal_is_variant)
    nopal_bench_absent(${family} "this build has another deque, join or fork itself")
    return()
  endif()
  # What nopal_add_library() and the records go by.
  set(NOPAL_DEQUE ${deque})
  set(NOPAL_JOIN ${join})
  nopal_variants(nopal_variants)
  string(REPLACE "-" "_" library ${family})
  nopal_add_library(${library} STATIC EXCLUDE_FROM_ALL)
  nopal_bench_program(${family} SOURCE nopal KERNELS ${nopal_bench_nopal_kernels}
    WORKLOADS ${ARGN} LIBRARIES ${library})
endfunction()

nopal_bench_locked(nopal-locked asymmetric locked ${nopal_bench_papers})
if(NOPAL_BENCH_BRIEF)
  foreach(family IN ITEMS nopal-the nopal-the-locked nopal-abp nopal-fenced)
    nopal_bench_absent(${family} "NOPAL_BENCH_BRIEF is on")
  endforeach()
else()
  nopal_bench_locked(nopal-the the waitfree ${nopal_bench_papers})
  nopal_bench_locked(nopal-the-locked the locked ${nopal_bench_papers})
  nopal_bench_locked(nopal-abp abp waitfree fib fibx nqueens)
  nopal_bench_locked(nopal-fenced fenced waitfree fib fibx nqueens)
endif()
