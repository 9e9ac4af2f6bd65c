# SPDX-License-Identifier: Apache-2.0
# cmake -DPROGRAM=<program> -P smoke_test.cmake: runs each of its variants at the smoke size, with 1
# and 2 workers, twice: the warm-up checks its result too.
cmake_policy(VERSION 3.25)

execute_process(COMMAND ${PROGRAM} --list OUTPUT_VARIABLE list COMMAND_ERROR_IS_FATAL ANY)
string(JSON count LENGTH "${list}")
if(count EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} lists no variants")
endif()
math(EXPR last "${count} - 1")
foreach(i RANGE ${last})
  string(JSON workload GET "${list}" ${i} workload)
  string(JSON variant GET "${list}" ${i} variant)
  string(JSON parallel GET "${list}" ${i} parallel)
  set(workers 1)
  if(parallel)
    list(APPEND workers 2)
  endif()
  foreach(p IN LISTS workers)
    message(STATUS "${workload} ${variant} ${p}")
    execute_process(
      COMMAND ${PROGRAM} --workload ${workload} --variant ${variant} --workers ${p} --size smoke
      OUTPUT_VARIABLE record
      RESULT_VARIABLE status)
    if(NOT status EQUAL 0)
      message(FATAL_ERROR "${workload} ${variant} --workers ${p}: exit status ${status}")
    endif()
    string(JSON correct GET "${record}" correct)
    if(NOT correct)
      message(FATAL_ERROR "${workload} ${variant} --workers ${p}: ${record}")
    endif()
  endforeach()
endforeach()

# A wrong name is a wrong command line.
execute_process(COMMAND ${PROGRAM} --workload no-such --variant no-such
  RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE message)
if(NOT status EQUAL 2 OR NOT message MATCHES "workloads:")
  message(FATAL_ERROR "an unknown workload gives exit status ${status} and: ${message}")
endif()
