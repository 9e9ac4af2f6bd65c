# SPDX-License-Identifier: Apache-2.0
# OpenMP tasks: one source, by g++ with libgomp and by clang++ with libomp, whichever of them compiles the rest.

# nopal_bench_openmp(FAMILY COMPILER_ID NAMES…): the program by the first of these compilers that can build and start an
# OpenMP program here.
function(nopal_bench_openmp family compiler_id)
  if(CMAKE_CROSSCOMPILING)
    nopal_bench_absent(${family} "not cross-compiled")
    return()
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL compiler_id)
    set(NOPAL_BENCH_${family} ${CMAKE_CXX_COMPILER} CACHE FILEPATH "Compiler of the benchmark ${family}")
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
  file(WRITE ${trial}.cpp "#include <omp.h>\nint main() { return omp_get_max_threads() > 0 ? 0 : 1; }\n")
  execute_process(COMMAND ${compiler} -fopenmp ${trial}.cpp -o ${trial} RESULT_VARIABLE built OUTPUT_QUIET ERROR_QUIET)
  if(built EQUAL 0)
    execute_process(COMMAND ${trial} RESULT_VARIABLE built OUTPUT_QUIET ERROR_QUIET)
  endif()
  if(NOT built EQUAL 0)
    nopal_bench_absent(${family} "${compiler} builds no OpenMP program (Debian: libomp-dev for clang)")
    return()
  endif()

  # Not by add_executable: a directory's targets all have one compiler.
  set(target nopal-bench-${family})
  set(flags -std=c++20 -Wall -Wextra -Wpedantic -fopenmp ${nopal_bench_flags})
  list(TRANSFORM nopal_bench_workloads PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/workloads/ OUTPUT_VARIABLE sources)
  list(TRANSFORM sources APPEND /openmp.cpp)
  list(JOIN flags " " flags_text)
  set(objects)
  foreach(source IN LISTS sources)
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(GET folder FILENAME folder)
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${target}.dir/${folder}.o)
    add_custom_command(
      OUTPUT ${object}
      COMMAND ${compiler} ${flags} "-DNOPAL_BENCH_FAMILY=\"${family}\"" "-DNOPAL_BENCH_FLAGS=\"${flags_text}\""
              -I${CMAKE_CURRENT_SOURCE_DIR} -MD -MF ${object}.d -c ${source} -o ${object}
      DEPENDS ${source}
      DEPFILE ${object}.d
      COMMENT "Building ${family} object ${folder}"
      VERBATIM)
    list(APPEND objects ${object})
  endforeach()
  file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/${target}.dir)
  set(executable ${CMAKE_CURRENT_BINARY_DIR}/${target})
  add_custom_command(
    OUTPUT ${executable}
    COMMAND ${compiler} -fopenmp ${objects} $<TARGET_FILE:nopal_bench_harness> -o ${executable}
    DEPENDS ${objects} nopal_bench_harness
    COMMENT "Linking ${target}"
    VERBATIM)
  add_custom_target(nopal_bench_${family} ALL DEPENDS ${executable})
  add_dependencies(nopal_bench nopal_bench_${family})
  nopal_bench_present(${family} ${target})
endfunction()

nopal_bench_openmp(openmp-gnu GNU g++-12 g++)
nopal_bench_openmp(openmp-llvm Clang clang++-19 clang++)
