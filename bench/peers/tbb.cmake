# SPDX-License-Identifier: Apache-2.0
# oneTBB (Debian: libtbb-dev).
find_package(TBB CONFIG QUIET)
if(TBB_FOUND)
  nopal_bench_kernels(nopal_bench_tbb_kernels tbb_invoke ${nopal_bench_recursions})
  nopal_bench_kernels(nopal_bench_tbb_kernels tbb_group fibx loop)
  nopal_bench_program(tbb SOURCE tbb KERNELS ${nopal_bench_tbb_kernels} LIBRARIES TBB::tbb
    WORKLOADS ${nopal_bench_repeated})
else()
  nopal_bench_absent(tbb "oneTBB not found (Debian: libtbb-dev)")
endif()
