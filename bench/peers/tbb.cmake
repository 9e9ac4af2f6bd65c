# SPDX-License-Identifier: Apache-2.0
# oneTBB (Debian: libtbb-dev).
find_package(TBB CONFIG QUIET)
if(TBB_FOUND)
  nopal_bench_program(tbb SOURCE tbb LIBRARIES TBB::tbb)
else()
  nopal_bench_absent(tbb "oneTBB not found (Debian: libtbb-dev)")
endif()
