# SPDX-License-Identifier: Apache-2.0
# Every variant once with a tiny size: that results are right, not how fast they come.

get_property(families GLOBAL PROPERTY nopal_bench_families)
foreach(family IN LISTS families)
  get_property(executable GLOBAL PROPERTY nopal_bench_executable_${family})
  if(executable)
    # One test for each program: it asks the program for its variants, which CMake cannot know
    # before the build.
    add_test(NAME bench/${family}
      COMMAND ${CMAKE_COMMAND} -DPROGRAM=${CMAKE_CURRENT_BINARY_DIR}/${executable}
              -P ${CMAKE_CURRENT_SOURCE_DIR}/cmake/smoke_test.cmake)
    set_tests_properties(bench/${family} PROPERTIES LABELS bench TIMEOUT 600)
    # libomp's threads wait by yielding: where others compute, tasks of microseconds come to
    # seconds.
    if(family MATCHES openmp)
      set_tests_properties(bench/${family} PROPERTIES RUN_SERIAL TRUE)
    endif()
  endif()
endforeach()

set(counted)
if(TARGET nopal-bench-pool-counted)
  set(counted -DCOUNTED=$<TARGET_FILE:nopal-bench-pool-counted>)
endif()
add_test(NAME bench/pool
  COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:nopal-bench-pool> ${counted}
          -P ${CMAKE_CURRENT_SOURCE_DIR}/cmake/pool_smoke_test.cmake)
add_test(NAME bench/pool_check COMMAND nopal-bench-pool-check)
add_test(NAME bench/algorithm COMMAND nopal-bench-algorithm-check)
set_tests_properties(bench/pool bench/pool_check bench/algorithm PROPERTIES LABELS bench TIMEOUT
  300)

if(NOPAL_SANITIZE)
  return()
endif()

add_test(NAME bench/space_bound
  COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:nopal-bench-space> -P
    ${CMAKE_CURRENT_SOURCE_DIR}/cmake/space_test.cmake)
set_tests_properties(bench/space_bound PROPERTIES LABELS bench TIMEOUT 600)
if(NOPAL_BUILD_MAPPED)
  add_test(NAME bench/space_bound_mapped
    COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:nopal-bench-space-mapped> -P
      ${CMAKE_CURRENT_SOURCE_DIR}/cmake/space_test.cmake)
  set_tests_properties(bench/space_bound_mapped PROPERTIES LABELS bench TIMEOUT 600)
endif()

add_test(NAME bench/fork_price COMMAND nopal-bench-fork_price --rounds 3)
foreach(kind calls invoke frame task bare-coroutine)
  add_test(NAME bench/fork_instructions_${kind}
    COMMAND nopal-bench-fork_instructions ${kind} 20)
  set_tests_properties(bench/fork_instructions_${kind} PROPERTIES LABELS bench TIMEOUT 60
    PASS_REGULAR_EXPRESSION "^6765\n$")
endforeach()
add_test(NAME bench/reducer_price COMMAND nopal-bench-reducer_price --rounds 3)
add_test(NAME bench/steal_latency COMMAND nopal-bench-steal_latency --rounds 50)
add_test(NAME bench/signal_latency COMMAND nopal-bench-signal_latency --rounds 50)
add_test(NAME bench/wakeup_latency COMMAND nopal-bench-wakeup_latency --rounds 5)
add_test(NAME bench/stack_cache COMMAND nopal-bench-stack_cache --turns 3)
add_test(NAME bench/idle_cpu COMMAND nopal-bench-idle_cpu --seconds 0.2)
set_tests_properties(bench/fork_price bench/reducer_price bench/steal_latency bench/signal_latency
  bench/wakeup_latency bench/stack_cache bench/idle_cpu PROPERTIES LABELS bench TIMEOUT 60)

add_test(NAME bench/victims COMMAND nopal-bench-stacks-pages --workload fib
  --variant stacks-pages-invoke --workers 8)
set_tests_properties(bench/victims PROPERTIES LABELS bench TIMEOUT 60
  ENVIRONMENT NOPAL_BENCH_VICTIMS=weighted PASS_REGULAR_EXPRESSION "\"steals_within_package\":")

# The runner: one pass over everything that has been built, with any Python; and its own tests, with
# one that has pytest. Tests of what that Python lacks the packages for are skipped.
find_package(Python3 3.10 COMPONENTS Interpreter)
if(NOT Python3_FOUND)
  message(STATUS
    "nopal bench: no tests of the runner, Python 3.10 not found (Debian package: python3)")
  return()
endif()

add_test(NAME bench/run_bench
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/run_bench.py --build
    ${PROJECT_BINARY_DIR} --size smoke
          --rounds 1 --workload fib,quicksort --out ${CMAKE_CURRENT_BINARY_DIR}/smoke)
add_test(NAME bench/run_pool
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/run_pool.py --build
    ${PROJECT_BINARY_DIR} --threads 2
          --seconds 0.02 --rounds 1 --out ${CMAKE_CURRENT_BINARY_DIR}/smoke/pool)
add_test(NAME bench/run_stacks
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/run_stacks.py --build
    ${PROJECT_BINARY_DIR} --size smoke --workers 2 --workload fib,quicksort
          --out ${CMAKE_CURRENT_BINARY_DIR}/smoke/stacks)
add_test(NAME bench/run_algorithm
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/run_algorithm.py --build
    ${PROJECT_BINARY_DIR} --n 1000 --workers 2 --rounds 1 --data u64-random
          --out ${CMAKE_CURRENT_BINARY_DIR}/smoke/algorithm)
add_test(NAME bench/run_echo
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/echo/run_echo.py --build
    ${PROJECT_BINARY_DIR} --idle 50 --busy 10
          --seconds 0.2 --idle-seconds 0 --rounds 1 --out ${CMAKE_CURRENT_BINARY_DIR}/smoke/echo)
# No connection to a server may harm another.
foreach(server IN LISTS nopal_bench_echo_servers)
  add_test(NAME bench/echo_${server}
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/echo/check_server.py
      $<TARGET_FILE:nopal-bench-echo-${server}>)
  set_tests_properties(bench/echo_${server} PROPERTIES LABELS bench TIMEOUT 300)
endforeach()
set_tests_properties(bench/run_bench bench/run_pool bench/run_stacks bench/run_algorithm
  bench/run_echo PROPERTIES LABELS bench TIMEOUT 120 ENVIRONMENT PYTHONDONTWRITEBYTECODE=1)

# nopal_bench_find_python(VARIABLE PACKAGE...): a Python with all of them. The one that CMake
# prefers may not see Debian's packages; the system's does.
function(nopal_bench_find_python variable)
  set(${variable} "" PARENT_SCOPE)
  list(JOIN ARGN ", " packages)
  foreach(python IN ITEMS ${Python3_EXECUTABLE} /usr/bin/python3)
    execute_process(COMMAND ${python} -c "import ${packages}" RESULT_VARIABLE status OUTPUT_QUIET
      ERROR_QUIET)
    if(status EQUAL 0)
      set(${variable} ${python} PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

nopal_bench_find_python(nopal_bench_python pytest numpy scipy matplotlib)
if(NOT nopal_bench_python)
  nopal_bench_find_python(nopal_bench_python pytest)
endif()
if(NOT nopal_bench_python)
  message(STATUS
    "nopal bench: no tests of the runner, pytest not found (Debian package: python3-pytest)")
  return()
endif()
foreach(folder IN ITEMS runner mpi)
  add_test(NAME bench/${folder} COMMAND ${nopal_bench_python} -m pytest -p no:cacheprovider
    ${CMAKE_CURRENT_SOURCE_DIR}/${folder})
  set_tests_properties(bench/${folder} PROPERTIES LABELS bench TIMEOUT 300 ENVIRONMENT
    PYTHONDONTWRITEBYTECODE=1)
endforeach()
