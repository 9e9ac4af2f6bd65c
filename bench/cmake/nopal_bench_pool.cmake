# SPDX-License-Identifier: Apache-2.0
# The pool between producers and consumers beside queues of others: one program, whose variants each
# have a file in pool/. And one that counts the compare-and-swaps of nopal's.

# nopal_bench_pool_absent(VARIANT REASON): one that cannot be built here.
function(nopal_bench_pool_absent variant reason)
  set_property(GLOBAL APPEND PROPERTY nopal_bench_pool_absent "${variant}")
  set_property(GLOBAL PROPERTY nopal_bench_pool_reason_${variant} "${reason}")
  message(STATUS "nopal bench: pool: ${variant} left out, ${reason}")
endfunction()

# nopal_bench_pool_peer(VARIANT SOURCE DIRECTORY REASON): a variant of headers alone, where their
# directory has been found.
function(nopal_bench_pool_peer variant source directory reason)
  if(directory)
    target_sources(nopal-bench-pool PRIVATE pool/${source}.cpp)
    target_include_directories(nopal-bench-pool SYSTEM PRIVATE ${directory})
  else()
    nopal_bench_pool_absent(${variant} "${reason}")
  endif()
endfunction()

set_property(GLOBAL PROPERTY nopal_bench_pool_absent "")
# Command line and record. Not the measured code, and long to compile.
add_library(nopal_bench_pool_program OBJECT pool/main.cpp pool/memory.cpp pool/record.cpp
  pool/variants.cpp)
nopal_bench_compile(nopal_bench_pool_program -O0)
target_link_libraries(nopal_bench_pool_program PUBLIC nopal_bench_harness PkgConfig::nopal_hwloc)
add_executable(nopal-bench-pool pool/nopal.cpp pool/places.cpp pool/mutex.cpp)
add_executable(nopal-bench-pool-check pool/check.cpp pool/places.cpp)
target_link_libraries(nopal-bench-pool PRIVATE nopal::nopal nopal_bench_pool_program)
target_link_libraries(nopal-bench-pool-check PRIVATE nopal::nopal nopal_bench_harness)
set(nopal_bench_pool_targets nopal-bench-pool nopal-bench-pool-check)
if(NOT NOPAL_SANITIZE)
  # Not for time: the events of the library built for tests announce each compare-and-swap.
  add_executable(nopal-bench-pool-counted pool/nopal.cpp pool/places.cpp)
  target_link_libraries(nopal-bench-pool-counted PRIVATE nopal_with_events nopal_bench_pool_program)
  list(APPEND nopal_bench_pool_targets nopal-bench-pool-counted)
endif()
foreach(target IN LISTS nopal_bench_pool_targets)
  target_include_directories(${target} PRIVATE
    ${PROJECT_SOURCE_DIR}        # the mechanisms in variants/
    ${PROJECT_SOURCE_DIR}/src)  # the places as nopal counts them
  nopal_bench_compile(${target})
  add_dependencies(nopal_bench ${target})
endforeach()

if(NOPAL_SANITIZE)
  foreach(variant IN ITEMS moodycamel tbb-queue boost-queue)
    nopal_bench_pool_absent(${variant} "under a sanitizer nopal is judged, not others")
  endforeach()
  return()
endif()

find_path(NOPAL_BENCH_MOODYCAMEL concurrentqueue.h PATH_SUFFIXES concurrentqueue/moodycamel
  concurrentqueue moodycamel)
find_path(NOPAL_BENCH_BOOST boost/lockfree/queue.hpp)
mark_as_advanced(NOPAL_BENCH_MOODYCAMEL NOPAL_BENCH_BOOST)
nopal_bench_pool_peer(moodycamel moodycamel "${NOPAL_BENCH_MOODYCAMEL}"
  "moodycamel::ConcurrentQueue not found (Debian: libconcurrentqueue-dev)")
nopal_bench_pool_peer(boost-queue boost "${NOPAL_BENCH_BOOST}"
  "Boost.Lockfree not found (Debian: libboost-dev)")
find_package(TBB CONFIG QUIET)
if(TBB_FOUND)
  target_sources(nopal-bench-pool PRIVATE pool/tbb.cpp)
  target_link_libraries(nopal-bench-pool PRIVATE TBB::tbb)
else()
  nopal_bench_pool_absent(tbb-queue "oneTBB not found (Debian: libtbb-dev)")
endif()
