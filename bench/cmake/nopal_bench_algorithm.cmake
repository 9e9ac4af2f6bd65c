# SPDX-License-Identifier: Apache-2.0
# Algorithms beside those of others: one program, whose families each have a file in algorithm/, and
# one in Rust. bench/run_algorithm.py measures them.

# nopal_bench_algorithm_absent(FAMILY REASON): one that cannot be built here.
function(nopal_bench_algorithm_absent family reason)
  set_property(GLOBAL APPEND PROPERTY nopal_bench_algorithm_absent "${family}")
  set_property(GLOBAL PROPERTY nopal_bench_algorithm_reason_${family} "${reason}")
  message(STATUS "nopal bench: algorithm: ${family} left out, ${reason}")
endfunction()

# nopal_bench_algorithm_family(NAME [LIBRARY name] [OPTIONS flag...]): algorithm/<name>.cpp.
function(nopal_bench_algorithm_family name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "LIBRARY" "OPTIONS")
  target_sources(nopal_bench_algorithms PRIVATE algorithm/${name}.cpp)
  if(arg_OPTIONS)  # the precompiled header has others
    set_source_files_properties(algorithm/${name}.cpp PROPERTIES
      COMPILE_OPTIONS "${arg_OPTIONS}" SKIP_PRECOMPILE_HEADERS ON)
  endif()
  set_property(GLOBAL APPEND PROPERTY nopal_bench_algorithm_libraries ${arg_LIBRARY})
endfunction()

set_property(GLOBAL PROPERTY nopal_bench_algorithm_absent "")
set_property(GLOBAL PROPERTY nopal_bench_algorithm_libraries "")
add_library(nopal_bench_algorithms OBJECT
  algorithm/data.cpp algorithm/enroll.cpp algorithm/keyed.cpp algorithm/reads.cpp
  algorithm/selections.cpp algorithm/sorts.cpp)
# Where nothing is measured compilers need not take long.
set(nopal_bench_algorithm_options)
if(NOPAL_BENCH_BRIEF OR NOPAL_SANITIZE)
  set(nopal_bench_algorithm_options -O1)
  target_compile_definitions(nopal_bench_algorithms PRIVATE NOPAL_BENCH_BRIEF)
endif()
nopal_bench_compile(nopal_bench_algorithms ${nopal_bench_algorithm_options})
target_precompile_headers(nopal_bench_algorithms PRIVATE algorithm/enroll.hpp)
target_link_libraries(nopal_bench_algorithms PRIVATE nopal::nopal)
nopal_bench_algorithm_family(std)
nopal_bench_algorithm_family(nopal)
if(NOPAL_SANITIZE)
  foreach(family IN ITEMS std-par tbb openmp ips4o rust)
    nopal_bench_algorithm_absent(${family} "under a sanitizer nopal is judged, not others")
  endforeach()
else()
  find_package(TBB CONFIG QUIET)
  if(TBB_FOUND)
    target_link_libraries(nopal_bench_algorithms PRIVATE TBB::tbb)
    nopal_bench_algorithm_family(tbb LIBRARY TBB::tbb)
  else()
    nopal_bench_algorithm_absent(tbb "oneTBB not found (Debian: libtbb-dev)")
  endif()
  if(TBB_FOUND AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    nopal_bench_algorithm_family(std_par)
  else()
    nopal_bench_algorithm_absent(std-par "neither g++ nor oneTBB (Debian: libtbb-dev)")
  endif()

  find_package(OpenMP QUIET COMPONENTS CXX)
  if(OpenMP_CXX_FOUND AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # g++ 12 warns of a variable of its own in a scan.
    nopal_bench_algorithm_family(openmp LIBRARY OpenMP::OpenMP_CXX
      OPTIONS -fopenmp -Wno-maybe-uninitialized)
  else()
    nopal_bench_algorithm_absent(openmp "no g++ with OpenMP")
  endif()

  # It exchanges sixteen bytes at once, which g++ leaves to a library.
  find_path(NOPAL_BENCH_IPS4O ips4o.hpp)
  mark_as_advanced(NOPAL_BENCH_IPS4O)
  if(NOPAL_BENCH_IPS4O)
    nopal_bench_algorithm_family(ips4o LIBRARY atomic OPTIONS -pthread)
    target_include_directories(nopal_bench_algorithms SYSTEM PRIVATE ${NOPAL_BENCH_IPS4O})
  else()
    nopal_bench_algorithm_absent(ips4o "ips4o not found (Debian: libips4o-dev)")
  endif()

  nopal_bench_cargo(reason rust-algorithm)
  if(reason)
    nopal_bench_algorithm_absent(rust "${reason}")
  endif()
endif()

# What ./run bench algorithm measures.
add_custom_target(nopal_bench_algorithm)
if(TARGET nopal-bench-rust-algorithm)
  add_dependencies(nopal_bench_algorithm nopal-bench-rust-algorithm)
endif()

# The first measures, by main() of the harness; the second is a test of all.
get_property(nopal_bench_algorithm_libraries GLOBAL PROPERTY nopal_bench_algorithm_libraries)
add_executable(nopal-bench-algorithm $<TARGET_OBJECTS:nopal_bench_algorithms>)
add_executable(nopal-bench-algorithm-check algorithm/check.cpp
  $<TARGET_OBJECTS:nopal_bench_algorithms>)
nopal_bench_compile(nopal-bench-algorithm-check ${nopal_bench_algorithm_options})
foreach(target IN ITEMS nopal-bench-algorithm nopal-bench-algorithm-check)
  target_link_libraries(${target} PRIVATE nopal_bench_harness nopal::nopal
    ${nopal_bench_algorithm_libraries})
  target_link_options(${target} PRIVATE ${nopal_sanitizer_link_flags})
  add_dependencies(nopal_bench ${target})
endforeach()
add_dependencies(nopal_bench_algorithm nopal-bench-algorithm)
