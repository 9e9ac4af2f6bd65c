# SPDX-License-Identifier: Apache-2.0
# OpenMP tasks: one source, by g++ with libgomp and by clang++ with libomp, whichever of them
# compiles the rest.

# nopal_bench_openmp(FAMILY COMPILER_ID WORKLOADS NAMES…): the program by the first of these
# compilers that can build and start an OpenMP program here, with these workloads.
function(nopal_bench_openmp family compiler_id workloads)
  if(CMAKE_CROSSCOMPILING)
    nopal_bench_absent(${family} "not cross-compiled")
    return()
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL compiler_id)
    set(NOPAL_BENCH_${family} ${CMAKE_CXX_COMPILER} CACHE FILEPATH
      "Compiler of the benchmark ${family}")
  endif()
  find_program(NOPAL_BENCH_${family} NAMES ${ARGN} DOC "Compiler of the benchmark ${family}")
  mark_as_advanced(NOPAL_BENCH_${family})
  set(compiler ${NOPAL_BENCH_${family}})
  if(NOT compiler)
    list(JOIN ARGN ", " names)
    nopal_bench_absent(${family} "no compiler found (looked for ${names})")
    return()
  endif()

  set(trial ${CMAKE_CURRENT_BINARY_DIR}/${family}-trial)
  file(WRITE ${trial}.cpp
    "#include <omp.h>\nint main() { return omp_get_max_threads() > 0 ? 0 : 1; }\n")
  execute_process(COMMAND ${compiler} -fopenmp ${trial}.cpp -o ${trial} RESULT_VARIABLE built
    OUTPUT_QUIET ERROR_QUIET)
  if(built EQUAL 0)
    execute_process(COMMAND ${trial} RESULT_VARIABLE built OUTPUT_QUIET ERROR_QUIET)
  endif()
  if(NOT built EQUAL 0)
    nopal_bench_absent(${family}
      "${compiler} builds no OpenMP program (Debian: libomp-dev for clang)")
    return()
  endif()

  nopal_bench_kernels(kernels openmp ${nopal_bench_recursions} ${nopal_bench_loops})
  nopal_bench_other_compiler(${family} COMPILER ${compiler} SOURCE openmp KERNELS ${kernels}
    WORKLOADS ${workloads} FLAGS -fopenmp LINK -fopenmp)
endfunction()

nopal_bench_openmp(openmp-gnu GNU "${nopal_bench_workloads}" g++-12 g++)
nopal_bench_openmp(openmp-llvm Clang "${nopal_bench_repeated}" clang++-19 clang++)
