# SPDX-License-Identifier: Apache-2.0
# cmake -DPROGRAM=<nopal-bench-space> -P space_test.cmake: no workload takes more pages of stacks
# than docs/strand.md says, at the smoke size, P = 2 to 16. Where stale pages are given back always
# (dontneed): P (S_1 + D), S_1 the pages of one worker that keeps what it has touched, D the
# functions that fork nested in each other. By default (adaptive) stale pages come on top: at most 4
# on each of P suspended stacks, and what a strand touched on each of P spares.
cmake_policy(VERSION 3.25)
set(stale_pages 4)

# measure(RESULT WORKLOAD VARIANT P POLICY FIELD…): numbers from the record of one run.
function(measure result workload variant p policy)
  execute_process(
    COMMAND ${CMAKE_COMMAND} -E env NOPAL_RECLAIM=${policy}
            ${PROGRAM} --workload ${workload} --variant ${variant} --workers ${p} --size smoke
            --repetitions 3
    OUTPUT_VARIABLE record
    COMMAND_ERROR_IS_FATAL ANY)
  set(numbers)
  foreach(field IN LISTS ARGN)
    string(JSON number GET "${record}" runtime ${field})
    list(APPEND numbers ${number})
  endforeach()
  set(${result} ${numbers} PARENT_SCOPE)
endfunction()

set(failed 0)
execute_process(COMMAND ${PROGRAM} --list OUTPUT_VARIABLE list COMMAND_ERROR_IS_FATAL ANY)
string(JSON count LENGTH "${list}")
math(EXPR last "${count} - 1")
foreach(i RANGE ${last})
  string(JSON workload GET "${list}" ${i} workload)
  string(JSON variant GET "${list}" ${i} variant)
  measure(serial ${workload} ${variant} 1 none stack_pages fork_depth heap_pages)
  list(POP_FRONT serial pages depth heap)
  if(heap LESS 1 OR heap GREATER 1000000)
    message(SEND_ERROR "${workload} ${variant}: ${heap} pages are not on stacks")
    set(failed 1)
  endif()
  if(depth EQUAL 0)
    message(SEND_ERROR "${workload} ${variant}: no fork was counted")
    set(failed 1)
  endif()
  foreach(p IN ITEMS 2 4 8 16)
    math(EXPR dontneed "${p} * (${pages} + ${depth})")
    math(EXPR adaptive "${dontneed} + ${p} * (${stale_pages} + ${pages})")
    foreach(policy IN ITEMS dontneed adaptive)
      measure(most ${workload} ${variant} ${p} ${policy} stack_pages)
      message(STATUS "${workload} ${variant} ${policy}: P = ${p}, S_1 = ${pages}, D = ${depth}: "
                     "${most} pages, bound ${${policy}}")
      if(most GREATER ${policy})
        message(SEND_ERROR
          "${workload} ${variant} ${policy}: ${most} pages are more than ${${policy}}")
        set(failed 1)
      endif()
    endforeach()
  endforeach()
endforeach()
if(failed)
  message(FATAL_ERROR "the bound does not hold")
endif()
