# SPDX-License-Identifier: Apache-2.0
# cmake -DPROGRAM=<nopal-bench-pool> -P pool_smoke_test.cmake: a moment of each of its variants, with as many consumers as
# producers, fewer, and more; small chunks where there are any.
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
    set(command ${PROGRAM} --variant ${variant} --producers ${producers} --consumers ${consumers} ${where}
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

# refused(MESSAGE OPTION…): is a wrong command line, and says so.
function(refused expected)
  execute_process(COMMAND ${PROGRAM} ${ARGN} RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE message)
  if(NOT status EQUAL 2 OR NOT message MATCHES "${expected}")
    message(FATAL_ERROR "${ARGN}: exit status ${status} and: ${message}")
  endif()
endfunction()

refused("no variant 'no-such'; there are:.* salsa" --variant no-such)
refused("has no chunks" --variant mutex-deque --chunk 16)
refused("--window must be 512" --variant mutex-deque --producers 2 --window 300)
