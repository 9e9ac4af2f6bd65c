# SPDX-License-Identifier: Apache-2.0
# TooManyCooks, where it is installed (set TooManyCooks_DIR or CMAKE_PREFIX_PATH); it is not
# fetched. By clang++, which its authors recommend, and the newest one: from 20 on, a child's frame
# can be part of its parent's.
function(nopal_bench_tmc)
  if(CMAKE_CROSSCOMPILING)
    nopal_bench_absent(tmc "not cross-compiled")
    return()
  endif()
  find_package(TooManyCooks CONFIG QUIET)
  if(NOT TARGET TooManyCooks::TooManyCooks)
    nopal_bench_absent(tmc "find_package(TooManyCooks) found none")
    return()
  endif()
  find_program(NOPAL_BENCH_tmc NAMES clang++-22 clang++-21 clang++-20 clang++-19 clang++-18
    clang++-17 clang++
    DOC "Compiler of the benchmark tmc")
  set(compiler ${NOPAL_BENCH_tmc})
  if(NOT compiler)
    set(compiler ${CMAKE_CXX_COMPILER})
  endif()

  # What TooManyCooks is known to work with. g++ 12 does not compile it.
  set(trial ${CMAKE_CURRENT_BINARY_DIR}/tmc-trial)
  file(WRITE ${trial}.cpp
    "static_assert(__clang_major__ >= 17 || (!__clang_major__ && __GNUC__ >= 14));\n")
  execute_process(COMMAND ${compiler} -fsyntax-only ${trial}.cpp RESULT_VARIABLE status OUTPUT_QUIET
    ERROR_QUIET)
  if(NOT status EQUAL 0)
    nopal_bench_absent(tmc "${compiler} is neither clang++ 17 nor g++ 14 or later")
    return()
  endif()

  # One priority and trivial tasks are the settings of its authors' benchmarks; so is an allocator
  # other than glibc's.
  get_target_property(definitions TooManyCooks::TooManyCooks INTERFACE_COMPILE_DEFINITIONS)
  list(REMOVE_ITEM definitions definitions-NOTFOUND TMC_PRIORITY_COUNT=1 TMC_TRIVIAL_TASK)
  list(APPEND definitions TMC_PRIORITY_COUNT=1 TMC_TRIVIAL_TASK)
  find_library(NOPAL_BENCH_ALLOCATOR NAMES
    tcmalloc_minimal libtcmalloc_minimal.so.4 tcmalloc libtcmalloc.so.4
    mimalloc libmimalloc.so.2 jemalloc libjemalloc.so.2)
  mark_as_advanced(NOPAL_BENCH_tmc NOPAL_BENCH_ALLOCATOR)
  set(link -pthread)
  if(NOPAL_BENCH_ALLOCATOR)
    cmake_path(GET NOPAL_BENCH_ALLOCATOR STEM name)
    list(APPEND definitions NOPAL_BENCH_ALLOCATOR=${name})
    list(APPEND link ${NOPAL_BENCH_ALLOCATOR})
  endif()
  list(TRANSFORM definitions PREPEND -D)

  get_target_property(includes TooManyCooks::TooManyCooks INTERFACE_INCLUDE_DIRECTORIES)
  if(TARGET hwloc::hwloc)
    get_target_property(hwloc_includes hwloc::hwloc INTERFACE_INCLUDE_DIRECTORIES)
    list(APPEND includes ${hwloc_includes})
    list(APPEND link $<TARGET_FILE:hwloc::hwloc>)
  endif()
  # Said again, such a directory would come before those of the C++ library, whose headers look for
  # C's behind them.
  list(REMOVE_ITEM includes ${CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES})
  nopal_bench_kernels(kernels tmc ${nopal_bench_recursions} ${nopal_bench_loops})
  nopal_bench_other_compiler(tmc COMPILER ${compiler} SOURCE toomanycooks KERNELS ${kernels}
    FLAGS -pthread ${definitions} INCLUDES ${includes} LINK ${link})
endfunction()

nopal_bench_tmc()
