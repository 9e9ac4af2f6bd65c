# SPDX-License-Identifier: Apache-2.0
# Run by ctest, with variables from CMakeLists.txt in the folder above. Builds and runs programs
# with an installed nopal:
#   way=wrapper   by the wrappers, called directly in ways that compilers are called
#   way=make      by a makefile whose compilers the wrappers are
#   way=cmake     by CMake with the wrappers as its compilers
#   way=target    by CMake and clang, with nopal's target
cmake_minimum_required(VERSION 3.25)

set(source ${CMAKE_CURRENT_LIST_DIR})
set(build ${binary}/${way})
set(cc ${prefix}/bin/nopal-cc)
set(cxx ${prefix}/bin/nopal-c++)
file(REMOVE_RECURSE ${build})
file(MAKE_DIRECTORY ${build})

function(run)
  execute_process(COMMAND ${ARGV} WORKING_DIRECTORY ${build} COMMAND_ECHO STDOUT
    COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# refused(PATTERN COMMAND...): the command fails, and says what matches the pattern.
function(refused pattern)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${build} RESULT_VARIABLE status
    ERROR_VARIABLE error OUTPUT_QUIET)
  if(status EQUAL 0 OR NOT error MATCHES "${pattern}")
    message(FATAL_ERROR "${ARGN} returned ${status} and said: ${error}")
  endif()
endfunction()

if(way STREQUAL "wrapper")
  run(${cc} --version)
  run(${cc} "-###" ${source}/fib.c)
  # In one step, and preprocessed first, from standard input, from a response file.
  run(${cc} -O2 -Wall -Wextra -Werror -fopencilk ${source}/fib.c -o fib)
  run(./fib)
  run(${cc} -E ${source}/fib.c -o fib.i)
  run(${cc} -O2 fib.i -o fib_from_i)
  run(./fib_from_i)
  run(${cc} -S -O1 ${source}/fib.c -o fib.s)
  run(${cc} fib.s -o fib_from_s)
  run(./fib_from_s)
  execute_process(COMMAND ${cc} -x c - -o fib_from_stdin INPUT_FILE ${source}/fib.c
    WORKING_DIRECTORY ${build} COMMAND_ERROR_IS_FATAL ANY)
  run(./fib_from_stdin)
  file(WRITE ${build}/response "-O2 ${source}/fib.c -o fib_from_response")
  run(${cc} @response)
  run(./fib_from_response)
  run(${cc} -M ${source}/fib.c)
  run(${cxx} -std=c++20 -O2 -g -flto -fuse-ld=lld ${source}/tree.cpp -o tree)
  run(./tree)
  run(${cc} -O2 -static ${source}/fib.c -o fib_static)
  run(./fib_static)
  # The serial program, by any compiler.
  run(${compiler} -DCILK_SERIAL -I${prefix}/include -x c++ ${source}/fib.c -o serial)
  run(./serial)
  # Without the plugin nothing is silently serial.
  refused("cilk_spawn needs the plugin" ${clang} -I${prefix}/include -c ${source}/fib.c)
  refused("for clang 19" ${compiler_of_c} -DNOPAL_CILK_PLUGIN=1 -I${prefix}/include -c
    ${source}/fib.c)
elseif(way STREQUAL "make")
  run(make -f ${source}/Makefile SOURCE=${source} CC=${cc} CXX=${cxx} CFLAGS=-O2
    "CXXFLAGS=-std=c++20 -O2")
  run(./fib)
  run(./tree)
else()
  set(options -D CMAKE_C_COMPILER=${cc} -D CMAKE_CXX_COMPILER=${cxx})
  if(way STREQUAL "target")
    set(options -D CMAKE_C_COMPILER=${clang} -D CMAKE_CXX_COMPILER=${clangxx}
      -D CMAKE_PREFIX_PATH=${prefix} -D by_target=ON)
  endif()
  run(${CMAKE_COMMAND} -S ${source} -B ${build} -G ${generator} -D CMAKE_BUILD_TYPE=Release
    ${options})
  run(${CMAKE_COMMAND} --build ${build})
  run(./fib)
  run(./tree)
endif()
