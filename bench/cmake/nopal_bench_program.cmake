# SPDX-License-Identifier: Apache-2.0

# Command line, clock and record, the same for every program and compiled once. Not the measured
# code.
add_library(nopal_bench_harness STATIC
  harness/deep_stack.cpp
  harness/environment.cpp
  harness/main.cpp
  harness/machine.cpp
  harness/measure.cpp
  harness/memory_pages.cpp
  harness/process_usage.cpp
  harness/registry.cpp
  harness/statistics_text.cpp)

add_library(nopal_bench_micro STATIC EXCLUDE_FROM_ALL micro/micro_main.cpp)  # not for sanitizers

function(nopal_bench_compile target)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/bench)
  target_compile_features(${target} PRIVATE cxx_std_20)
  target_compile_options(${target} PRIVATE ${nopal_bench_flags} ${nopal_sanitizer_flags} ${ARGN})
  target_link_options(${target} PRIVATE ${nopal_sanitizer_link_flags})
  string(STRIP "${nopal_bench_flags_text} ${ARGN}" flags_text)
  target_compile_definitions(${target} PRIVATE
    NOPAL_BENCH_FLAGS="${flags_text}"
    NOPAL_BENCH_VERSION="${PROJECT_VERSION}"
    NOPAL_BENCH_DEQUE="${NOPAL_DEQUE}"
    NOPAL_BENCH_JOIN="${NOPAL_JOIN}")
endfunction()

nopal_bench_compile(nopal_bench_harness -O0)  # takes a quarter as long as -O3
nopal_bench_compile(nopal_bench_micro -O0)
foreach(library IN ITEMS nopal_bench_harness nopal_bench_micro)
  target_include_directories(${library} SYSTEM PUBLIC ${NOPAL_BENCH_CLI11} ${NOPAL_BENCH_JSON})
endforeach()
# These two headers take longer to compile than what the harness does with them.
target_precompile_headers(nopal_bench_harness PRIVATE harness/program.hpp <nlohmann/json.hpp>)
# The headers with statistics and options, but nothing of the library: the programs of the peers are
# free of it.
target_include_directories(nopal_bench_harness PRIVATE ${PROJECT_SOURCE_DIR}/include)
target_link_libraries(nopal_bench_micro PUBLIC nopal::nopal nopal_bench_harness)

# nopal_bench_kernels(VARIABLE RUNTIME WORKLOAD...): appends to the variable a source file for each
# of these workloads: its kernel, workloads/<workload>/kernel.hpp, for
# harness/runtimes/<runtime>.hpp.
function(nopal_bench_kernels variable runtime)
  set(found ${${variable}})
  foreach(workload IN LISTS ARGN)
    set(source ${CMAKE_CURRENT_BINARY_DIR}/kernels/${workload}/${runtime}.cpp)
    set(text "#include \"harness/runtimes/${runtime}.hpp\"\n")
    string(APPEND text "#include \"workloads/${workload}/kernel.hpp\"\n")
    file(CONFIGURE OUTPUT ${source} CONTENT "${text}" @ONLY)
    list(APPEND found ${source})
  endforeach()
  set(${variable} ${found} PARENT_SCOPE)
endfunction()

# nopal_bench_sources_of(VARIABLE WORKLOAD KERNELS NAMES): the sources of a workload: which of the
# kernels are its own, and which of its files <name>.cpp there are. What a library has nothing for
# is left to those that do.
function(nopal_bench_sources_of variable workload kernels names)
  set(found ${kernels})
  list(FILTER found INCLUDE REGEX "/kernels/${workload}/")
  foreach(name IN LISTS names)
    set(source ${PROJECT_SOURCE_DIR}/bench/workloads/${workload}/${name}.cpp)
    if(EXISTS ${source})
      list(APPEND found ${source})
    endif()
  endforeach()
  set(${variable} ${found} PARENT_SCOPE)
endfunction()

# nopal_bench_program(FAMILY SOURCE name [ALSO name…] [KERNELS …] [WORKLOADS …] [LIBRARIES …]
#                     [DEFINITIONS …] [INCLUDES …] [OPTIONS …])
# The program of a library, from the kernels that nopal_bench_kernels() has made for it, from the
# file <name>.cpp of every workload, or of those given, and from those of ALSO.
function(nopal_bench_program family)
  cmake_parse_arguments(PARSE_ARGV 1 arg ""
    "SOURCE" "ALSO;KERNELS;WORKLOADS;LIBRARIES;DEFINITIONS;INCLUDES;OPTIONS")
  if(NOT arg_WORKLOADS)
    set(arg_WORKLOADS ${nopal_bench_workloads})
  endif()
  set(target nopal-bench-${family})
  set(sources)
  foreach(workload IN LISTS arg_WORKLOADS)
    nopal_bench_sources_of(found ${workload} "${arg_KERNELS}" "${arg_SOURCE};${arg_ALSO}")
    list(APPEND sources ${found})
  endforeach()
  add_executable(${target} ${sources})
  # What every file includes takes most of the time to compile.
  target_precompile_headers(${target} PRIVATE harness/enroll.hpp harness/sessions/${arg_SOURCE}.hpp)
  target_link_libraries(${target} PRIVATE nopal_bench_harness ${arg_LIBRARIES})
  target_include_directories(${target} PRIVATE ${arg_INCLUDES})
  target_compile_definitions(${target} PRIVATE NOPAL_BENCH_FAMILY="${family}" ${arg_DEFINITIONS})
  nopal_bench_compile(${target} ${arg_OPTIONS})
  add_dependencies(nopal_bench ${target})
  nopal_bench_present(${family} ${target})
endfunction()

# nopal_bench_micro_program(NAME): a micro-measurement of nopal, micro/<name>.cpp.
function(nopal_bench_micro_program name)
  set(target nopal-bench-${name})
  add_executable(${target} micro/${name}.cpp)
  target_link_libraries(${target} PRIVATE nopal_bench_micro)
  nopal_bench_compile(${target})
  add_dependencies(nopal_bench ${target})
  set_property(GLOBAL APPEND PROPERTY nopal_bench_micros ${name})
endfunction()
