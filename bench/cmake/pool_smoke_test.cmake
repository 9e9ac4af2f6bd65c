# SPDX-License-Identifier: Apache-2.0
# cmake -DPROGRAM=<nopal-bench-pool> [-DCOUNTED=<nopal-bench-pool-counted>] -P
# pool_smoke_test.cmake: a moment of each variant, with as many consumers as producers, fewer, and
# more; small chunks where there are any. What the second counts.
cmake_policy(VERSION 3.25)

execute_process(COMMAND ${PROGRAM} --list OUTPUT_VARIABLE list COMMAND_ERROR_IS_FATAL ANY)
string(JSON count LENGTH "${list}")
math(EXPR last "${count} - 1")
foreach(i RANGE ${last})
  string(JSON variant GET "${list}" ${i} variant)
  string(JSON has_chunks TYPE "${list}" ${i} chunk)
  foreach(load IN ITEMS "1;1;--pinned" "2;2;--not-pinned" "1;3;--pinned" "3;1;--pinned")
    list(GET load 0 producers)
    list(GET load 1 consumers)
    list(GET load 2 where)
    set(command ${PROGRAM} --variant ${variant} --producers ${producers} --consumers ${consumers}
      ${where}
      --seconds 0.02 --repetitions 2 --window 4096)
    if(has_chunks STREQUAL "NUMBER" AND producers EQUAL 2)
      list(APPEND command --chunk 16)
    endif()
    message(STATUS "${variant} ${producers}/${consumers} ${where}")
    execute_process(COMMAND ${command} OUTPUT_VARIABLE record RESULT_VARIABLE status)
    if(NOT status EQUAL 0)
      message(FATAL_ERROR "${variant} ${producers}/${consumers}: exit status ${status}")
    endif()
    string(JSON correct GET "${record}" correct)
    if(NOT correct)
      message(FATAL_ERROR "${variant} ${producers}/${consumers}: ${record}")
    endif()
  endforeach()
endforeach()

# swaps_of(PROGRAM VARIANT): what it says of compare-and-swaps: their JSON type, their number, the
# tasks, in type, swaps, put.
macro(swaps_of program variant)
  message(STATUS "compare-and-swaps: ${variant}")
  execute_process(COMMAND ${program} --variant ${variant} --consumers 2 --seconds 0.02
    --repetitions 1 --window 4096
    OUTPUT_VARIABLE record COMMAND_ERROR_IS_FATAL ANY)
  string(JSON type TYPE "${record}" repetitions 0 compare_and_swaps)
  string(JSON swaps GET "${record}" repetitions 0 compare_and_swaps)
  string(JSON put GET "${record}" repetitions 0 put)
endmacro()

swaps_of(${PROGRAM} salsa-cas)
if(NOT type STREQUAL "NULL")
  message(FATAL_ERROR "without events nothing is counted, but: ${record}")
endif()
if(NOT COUNTED)
  return()
endif()
execute_process(COMMAND ${COUNTED} --list OUTPUT_VARIABLE list COMMAND_ERROR_IS_FATAL ANY)
string(JSON count LENGTH "${list}")
math(EXPR last "${count} - 1")
foreach(i RANGE ${last})
  string(JSON variant GET "${list}" ${i} variant)
  swaps_of(${COUNTED} ${variant})
  if(NOT type STREQUAL "NUMBER" OR swaps EQUAL 0)
    message(FATAL_ERROR "${variant}: no compare-and-swaps: ${record}")
  endif()
  if(variant STREQUAL "salsa-cas" AND swaps LESS put)
    message(FATAL_ERROR "${variant}: fewer compare-and-swaps than tasks: ${record}")
  endif()
endforeach()

# Where there are several NUMA nodes the system may forbid it.
execute_process(COMMAND ${PROGRAM} --variant mutex-deque --seconds 0.02 --repetitions 1
  --memory-on-one-node
  OUTPUT_VARIABLE record RESULT_VARIABLE status ERROR_VARIABLE message)
if(status EQUAL 0)
  string(JSON nodes TYPE "${record}" memory_nodes)
endif()
if(NOT nodes STREQUAL "NUMBER" AND NOT message MATCHES "NUMA node: ")
  message(FATAL_ERROR "--memory-on-one-node: exit status ${status} and: ${message}${record}")
endif()

# refused(MESSAGE OPTION…): is a wrong command line, and says so.
function(refused expected)
  execute_process(COMMAND ${PROGRAM} ${ARGN} RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE
    message)
  if(NOT status EQUAL 2 OR NOT message MATCHES "${expected}")
    message(FATAL_ERROR "${ARGN}: exit status ${status} and: ${message}")
  endif()
endfunction()

refused("no variant 'no-such'; there are:.* salsa" --variant no-such)
refused("has no chunks" --variant mutex-deque --chunk 16)
refused("--window must be 512" --variant mutex-deque --producers 2 --window 300)
