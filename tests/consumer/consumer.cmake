# SPDX-License-Identifier: Apache-2.0
# Run by ctest, with the variables that CMakeLists.txt beside this file sets:
#   way=install           installs nopal, the shared one after building it, for the next two
#   way=find_package, pkg_config, add_subdirectory: builds the consumer that way, and runs it
#   mapped=ON             if nopal::mapped is installed too
#   mpi=ON                if nopal::mpi is; mpi_environment=NAME=value... for programs that use it
#   together=ON           to compile the sources of a nopal that is built anew together
cmake_minimum_required(VERSION 3.25)

set(prefix ${binary}/prefix)
set(build ${binary}/${way})
set(strict "-Wall -Wextra -Wpedantic -Werror")
set(shared OFF)
if(kind STREQUAL "shared")
  set(shared ON)
endif()
set(nopal_options
  -D BUILD_SHARED_LIBS=${shared} -D CMAKE_BUILD_TYPE=Release -D NOPAL_DEQUE=${deque}
  -D NOPAL_JOIN=${join} -D NOPAL_TOGETHER=${together})

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(configure_and_build source)
  run(${CMAKE_COMMAND} -S ${source} -B ${build} -G ${generator} -D CMAKE_CXX_COMPILER=${compiler}
    ${ARGN})
  run(${CMAKE_COMMAND} --build ${build})
endfunction()

file(REMOVE_RECURSE ${build})

if(way STREQUAL "install")
  file(REMOVE_RECURSE ${prefix})
  if(shared)
    # As docs/reference.md says: with the defaults, and nothing built but the library, and with it
    # the plugin for Cilk's keywords where clang is there, and mapped stacks where mimalloc is. The
    # plugin itself is the one that is there already; the static nopal installs it as compiled.
    set(plugin ${tree}/plugins/cilk/nopal_cilk.so)
    if(NOT EXISTS ${plugin})
      set(plugin)
    endif()
    run(${CMAKE_COMMAND} -S ${source} -B ${build} -G ${generator} -D CMAKE_CXX_COMPILER=${compiler}
      -D BUILD_SHARED_LIBS=ON -D NOPAL_DEQUE=${deque} -D NOPAL_JOIN=${join}
      -D NOPAL_CILK_PLUGIN_FILE=${plugin} -D NOPAL_TOGETHER=${together})
    run(${CMAKE_COMMAND} --build ${build})
    file(STRINGS ${build}/CMakeCache.txt type REGEX "^CMAKE_BUILD_TYPE:")
    if(NOT type MATCHES "=Release$")
      message(FATAL_ERROR "Without a build type nopal is not built for release: ${type}")
    endif()
    file(STRINGS ${build}/CMakeCache.txt more REGEX "^NOPAL_BUILD_[A-Z]+:BOOL=ON$")
    list(FILTER more EXCLUDE REGEX "_(CILK|MAPPED):")
    if(more)
      message(FATAL_ERROR "By default more is built than the library: ${more}")
    endif()
    set(tree ${build})
  endif()
  run(${CMAKE_COMMAND} --install ${tree} --prefix ${prefix})
  # A program asks for the version whose interface it was compiled for.
  if(shared AND version MATCHES "^0\\.[0-9]+")
    file(GLOB_RECURSE named ${prefix}/libnopal.so.${CMAKE_MATCH_0})
    if(NOT named)
      message(FATAL_ERROR "No libnopal.so.${CMAKE_MATCH_0} was installed.")
    endif()
  endif()
  return()
endif()

if(way STREQUAL "pkg_config")
  # As in a makefile: one compiler call with what pkg-config says.
  file(GLOB_RECURSE pc ${prefix}/nopal.pc)
  cmake_path(GET pc PARENT_PATH pc_dir)
  cmake_path(GET pc_dir PARENT_PATH lib_dir)
  set(ENV{PKG_CONFIG_PATH} ${pc_dir})
  execute_process(COMMAND ${pkg_config} --cflags --libs nopal
    OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags UNIX_COMMAND "${flags}")
  separate_arguments(strict)
  file(MAKE_DIRECTORY ${build})
  run(${compiler} -std=c++20 -O2 ${strict} ${CMAKE_CURRENT_LIST_DIR}/main.cpp -o ${build}/consumer
    ${flags})
  if(mpi AND NOT shared)
    execute_process(COMMAND ${pkg_config} --cflags --libs nopal-mpi
      OUTPUT_VARIABLE mpi_flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    separate_arguments(mpi_flags UNIX_COMMAND "${mpi_flags}")
    run(${compiler} -std=c++20 -O2 ${strict} ${CMAKE_CURRENT_LIST_DIR}/mpi.cpp
      -o ${build}/consumer_mpi ${mpi_flags})
  endif()
  # What was compiled for another nopal does not link with this one, shared or static.
  if(NOT flags MATCHES "NOPAL_COUNT_FORKS|NOPAL_CHECK")
    execute_process(COMMAND ${compiler} -std=c++20 -O2 -DNOPAL_COUNT_FORKS=1
      ${CMAKE_CURRENT_LIST_DIR}/main.cpp -o ${build}/other ${flags}
      RESULT_VARIABLE status ERROR_VARIABLE error)
    if(status EQUAL 0 OR NOT error MATCHES "undefined[^\n]*nopal_configured_for__[^\n]*count_forks")
      message(FATAL_ERROR "A program links that was compiled for another nopal. ${error}")
    endif()
  endif()
  set(ENV{LD_LIBRARY_PATH} ${lib_dir})
else()
  # A project around nopal may ask for either: all sources at once, or optimization at link time.
  set(at_link_time ON)
  if(shared)
    set(at_link_time OFF)
  endif()
  configure_and_build(${CMAKE_CURRENT_LIST_DIR}/project ${nopal_options}
    -D CMAKE_PREFIX_PATH=${prefix}
    "-DCMAKE_CXX_FLAGS=${strict}" -D CMAKE_UNITY_BUILD=${shared}
    -D CMAKE_INTERPROCEDURAL_OPTIMIZATION=${at_link_time} -D way=${way}
    -D nopal_source=${source})
endif()
run(${build}/consumer)
if(EXISTS ${build}/consumer_c)
  run(${build}/consumer_c)
elseif(way STREQUAL "find_package")
  message(FATAL_ERROR "The program in C was not built.")
endif()
if(EXISTS ${build}/consumer_mapped)
  run(${build}/consumer_mapped)
elseif(mapped AND way STREQUAL "find_package")
  message(FATAL_ERROR "nopal::mapped was installed, and find_package() does not find it.")
endif()
if(EXISTS ${build}/consumer_mpi)
  separate_arguments(mpi_environment)
  run(${CMAKE_COMMAND} -E env ${mpi_environment} ${build}/consumer_mpi)
elseif(mpi AND way STREQUAL "find_package")
  message(FATAL_ERROR "nopal::mpi was installed, and find_package() does not find it.")
endif()
