# SPDX-License-Identifier: Apache-2.0

# nopal_bench_other_compiler(FAMILY COMPILER <path> SOURCE name [SESSION name] [ALSO name…]
#                            [KERNELS …] [WORKLOADS …] [FLAGS …] [DEFINITIONS …] [INCLUDES …]
#                            [LIBRARIES target…] [LINK …] [NEEDS file…])
# As nopal_bench_program, but by a compiler that may be another than the one of the rest. FLAGS are
# for compiling, LIBRARIES are linked and nothing else is taken from them, LINK is what the linker
# needs besides. Files that the compiler NEEDS it reads at each compilation.
function(nopal_bench_other_compiler family)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "COMPILER;SOURCE;SESSION"
    "ALSO;KERNELS;WORKLOADS;FLAGS;DEFINITIONS;INCLUDES;LIBRARIES;LINK;NEEDS")
  if(NOT arg_SESSION)
    set(arg_SESSION ${arg_SOURCE})
  endif()
  if(NOT arg_WORKLOADS)
    set(arg_WORKLOADS ${nopal_bench_workloads})
  endif()
  # Not by add_executable: a directory's targets all have one compiler.
  set(target nopal-bench-${family})
  set(flags -std=c++20 -Wall -Wextra -Wpedantic ${arg_FLAGS} ${nopal_bench_flags})
  list(JOIN flags " " flags_text)
  list(TRANSFORM arg_INCLUDES PREPEND -isystem OUTPUT_VARIABLE includes)
  list(TRANSFORM arg_DEFINITIONS PREPEND -D)
  # What every file includes takes most of the time to compile. clang++, too, finds such a file by
  # this name.
  set(directory ${CMAKE_CURRENT_BINARY_DIR}/${target}.dir)
  set(headers ${directory}/headers.hpp)
  file(CONFIGURE OUTPUT ${headers}
    CONTENT "#include \"harness/enroll.hpp\"\n#include \"harness/sessions/@arg_SESSION@.hpp\"\n"
    @ONLY)
  set(compile ${arg_COMPILER} ${flags} "-DNOPAL_BENCH_FAMILY=\"${family}\""
    "-DNOPAL_BENCH_FLAGS=\"${flags_text}\""
      ${arg_DEFINITIONS} -I${PROJECT_SOURCE_DIR}/bench ${includes})
  add_custom_command(
    OUTPUT ${headers}.gch
    COMMAND ${compile} -Wno-pragma-once-outside-header -MD -MF ${headers}.d -x c++-header ${headers}
    -o ${headers}.gch
    DEPENDS ${headers} ${arg_NEEDS}
    DEPFILE ${headers}.d
    COMMENT "Precompiling headers of ${family}"
    VERBATIM)
  set(objects)
  foreach(workload IN LISTS arg_WORKLOADS)
    nopal_bench_sources_of(found ${workload} "${arg_KERNELS}" "${arg_SOURCE};${arg_ALSO}")
    foreach(source IN LISTS found)
      cmake_path(GET source STEM name)
      # A workload may have a kernel and a file of its own for the same library.
      cmake_path(IS_PREFIX CMAKE_CURRENT_BINARY_DIR "${source}" is_kernel)
      if(is_kernel)
        string(APPEND name .kernel)
      endif()
      set(object ${directory}/${workload}.${name}.o)
      add_custom_command(
        OUTPUT ${object}
        COMMAND ${compile} -include ${headers} -MD -MF ${object}.d -c ${source} -o ${object}
        DEPENDS ${source} ${headers}.gch
        DEPFILE ${object}.d
        COMMENT "Building ${family} object ${workload}.${name}"
        VERBATIM)
      list(APPEND objects ${object})
    endforeach()
  endforeach()
  set(libraries)
  foreach(library IN ITEMS nopal_bench_harness ${arg_LIBRARIES})
    list(APPEND libraries $<TARGET_FILE:${library}>)
  endforeach()
  set(executable ${CMAKE_CURRENT_BINARY_DIR}/${target})
  add_custom_command(
    OUTPUT ${executable}
    COMMAND ${arg_COMPILER} ${objects} ${libraries} ${arg_LINK} -o ${executable}
    DEPENDS ${objects} nopal_bench_harness ${arg_LIBRARIES}
    COMMENT "Linking ${target}"
    VERBATIM)
  add_custom_target(nopal_bench_${family} ALL DEPENDS ${executable})
  add_dependencies(nopal_bench nopal_bench_${family})
  nopal_bench_present(${family} ${target})
endfunction()
