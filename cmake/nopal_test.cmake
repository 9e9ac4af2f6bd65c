# SPDX-License-Identifier: Apache-2.0
include(GoogleTest)

if(CMAKE_CROSSCOMPILING)
  # Debian has no GoogleTest for other architectures than its own, but the package googletest brings
  # the sources.
  set(BUILD_GMOCK ON)
  set(INSTALL_GTEST OFF)
  add_subdirectory(/usr/src/googletest ${PROJECT_BINARY_DIR}/googletest EXCLUDE_FROM_ALL)
  foreach(target gtest gtest_main gmock gmock_main)
    target_compile_options(${target} PRIVATE -w)
  endforeach()
else()
  find_package(GTest REQUIRED)
endif()

# What most tests include takes longer to compile than what they do themselves.
set(nopal_test_headers <gtest/gtest.h> <algorithm> <array> <atomic> <chrono> <cstdint> <functional>
  <memory> <numeric>
  <ranges> <sstream> <stdexcept> <string> <thread> <vector>
  ${PROJECT_SOURCE_DIR}/include/nopal/nopal.hpp)

# Each runtime and pool asks hwloc, which loads its plugins for it, with what they need (X11,
# OpenCL, XML), and unloads them again: 2 ms, where a test that makes many takes less for all else.
set(nopal_test_environment HWLOC_PLUGINS_PATH=/nonexistent)

# How many tests a build has. Every folder says what of it is left to ./run check, and what to
# ./run check --all: cases that are large, or that differ from others in little.
nopal_choice(NOPAL_TESTS test "The tests of ./run test, of ./run check, or all" test check all)

# nopal_test_wanted(VARIABLE [CHECK | LARGE]): whether this build has a test that only ./run check
# runs, or only ./run check --all. Without either everyone runs it.
function(nopal_test_wanted variable)
  set(wanted ON)
  if(("LARGE" IN_LIST ARGN AND NOT NOPAL_TESTS STREQUAL "all")
     OR ("CHECK" IN_LIST ARGN AND NOPAL_TESTS STREQUAL "test"))
    set(wanted OFF)
  endif()
  set(${variable} ${wanted} PARENT_SCOPE)
endfunction()

# nopal_test_program(TARGET LABEL): TARGET is built by nopal_tests_LABEL.
function(nopal_test_program target label)
  if(NOT TARGET nopal_tests_${label})
    add_custom_target(nopal_tests_${label})
  endif()
  add_dependencies(nopal_tests_${label} ${target})
endfunction()

# nopal_mutate(TARGET PREFIX): gives TARGET a copy of each file in ${PREFIX_FILE}, with one step
# left out or done wrongly.
#   FILE  a header below include/, or a source below src/
#   FROM  a text in it, which must be there: a mutant that is none would be found to pass only after
#         a long build
#   TO    what takes its place; NOTHING: leaves it out
# A source is compiled into TARGET. All its functions are then defined before the linker looks into
# the library, and the library's object stays out.
function(nopal_mutate target prefix)
  set(dir ${CMAKE_CURRENT_BINARY_DIR}/mutants/${target})
  foreach(file IN LISTS ${prefix}_FILE)
    file(READ ${PROJECT_SOURCE_DIR}/${file} text_of_${file})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${file})
  endforeach()
  foreach(file from to IN ZIP_LISTS ${prefix}_FILE ${prefix}_FROM ${prefix}_TO)
    string(FIND "${text_of_${file}}" "${from}" at)
    if(at EQUAL -1)
      message(FATAL_ERROR "${target}: ${file} does not have the text\n${from}")
    endif()
    if(to STREQUAL "NOTHING")
      set(to "")
    endif()
    string(REPLACE "${from}" "${to}" text_of_${file} "${text_of_${file}}")
  endforeach()
  foreach(file IN LISTS ${prefix}_FILE)
    file(CONFIGURE OUTPUT ${dir}/${file} CONTENT "${text_of_${file}}" @ONLY)
    if(file MATCHES "\\.cpp$")
      target_sources(${target} PRIVATE ${dir}/${file})
    endif()
  endforeach()
  target_include_directories(${target} BEFORE PRIVATE ${dir}/include)
endfunction()

# nopal_add_test(NAME [SERIAL] [CHECK | LARGE] [PRECOMPILED] SOURCES file... [LABEL label]
#   [LIBS target...] [OPTIONS flag...] [TIMEOUT seconds])
#
# A GoogleTest program whose tests ctest runs one by one, as NAME/Suite.Test.
#   SERIAL   nothing else runs beside these tests: for those that measure time
#   CHECK    not for ./run test: ./run check builds and runs it
#   LARGE    only ./run check --all builds and runs it
#   PRECOMPILED  headers are, once for all tests of the same LIBS and OPTIONS
#   LABEL    unit (the default), stress, adversary, disassembly, model, app, consumer or example
#   LIBS     default nopal::nopal; nopal_with_events for tests that inject delays or schedules
#   OPTIONS  compile options, such as -O0
#   TIMEOUT  of each test, in seconds; default 60
function(nopal_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "SERIAL;CHECK;LARGE;PRECOMPILED" "LABEL;TIMEOUT"
    "SOURCES;LIBS;OPTIONS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "nopal_add_test(${name}): unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  nopal_test_wanted(wanted ${ARGN})
  if(NOT wanted)
    return()
  endif()
  if(NOT arg_LABEL)
    set(arg_LABEL unit)
  endif()
  if(NOT arg_LIBS)
    set(arg_LIBS nopal::nopal)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 60)
  endif()
  set(serial)
  if(arg_SERIAL)
    set(serial RUN_SERIAL TRUE)
  endif()
  if(arg_LABEL STREQUAL "stress" AND NOT NOPAL_TESTS STREQUAL "all")
    list(APPEND arg_OPTIONS -DNOPAL_TEST_SMALL)
  endif()
  add_executable(${name} ${arg_SOURCES})
  nopal_test_program(${name} ${arg_LABEL})
  target_compile_options(${name} PRIVATE ${arg_OPTIONS})
  target_link_libraries(${name} PRIVATE ${arg_LIBS} GTest::gtest GTest::gtest_main)
  if(arg_PRECOMPILED)
    string(MD5 alike "${arg_LIBS} ${arg_OPTIONS}")
    get_property(first GLOBAL PROPERTY nopal_precompiled_${alike})
    if(first)
      target_precompile_headers(${name} REUSE_FROM ${first})
    else()
      target_precompile_headers(${name} PRIVATE ${nopal_test_headers})
      set_property(GLOBAL PROPERTY nopal_precompiled_${alike} ${name})
    endif()
  endif()
  # Tests are listed when ctest starts and not while building: a cross-compiled program lists them
  # under its emulator.
  gtest_discover_tests(${name}
    TEST_PREFIX "${name}/"
    DISCOVERY_MODE PRE_TEST
    DISCOVERY_TIMEOUT 60
    PROPERTIES LABELS ${arg_LABEL} TIMEOUT ${arg_TIMEOUT} ENVIRONMENT ${nopal_test_environment}
    ${serial})
endfunction()
