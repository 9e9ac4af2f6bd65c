# SPDX-License-Identifier: Apache-2.0
# cmake -DPROGRAM=<nopal-bench-stm-VARIANT> -DVARIANT=VARIANT -P stm_smoke_test.cmake: a small part
# of each workload, whose result the program checks.
cmake_policy(VERSION 3.25)

execute_process(COMMAND ${PROGRAM} --list OUTPUT_VARIABLE workloads
  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(workloads)
foreach(workload IN LISTS workloads)
  foreach(threads IN ITEMS 1 2)
    if(threads EQUAL 1 OR NOT VARIANT STREQUAL "serial")
      message(STATUS "${workload} ${threads}")
      execute_process(COMMAND ${PROGRAM} ${workload} ${threads} 100 COMMAND_ERROR_IS_FATAL ANY)
    endif()
  endforeach()
endforeach()
