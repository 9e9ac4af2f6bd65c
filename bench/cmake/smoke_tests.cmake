# SPDX-License-Identifier: Apache-2.0
# Every variant once with a tiny size: that results are right, not how fast they come.

get_property(families GLOBAL PROPERTY nopal_bench_families)
foreach(family IN LISTS families)
  get_property(executable GLOBAL PROPERTY nopal_bench_executable_${family})
  if(executable)
    # One test for each program: it asks the program for its variants, which CMake cannot know before the build.
    add_test(NAME bench/${family}
      COMMAND ${CMAKE_COMMAND} -DPROGRAM=${CMAKE_CURRENT_BINARY_DIR}/${executable}
              -P ${CMAKE_CURRENT_SOURCE_DIR}/cmake/smoke_test.cmake)
    set_tests_properties(bench/${family} PROPERTIES LABELS bench TIMEOUT 300)
  endif()
endforeach()

add_test(NAME bench/fork_price COMMAND nopal-bench-fork_price --rounds 3)
add_test(NAME bench/steal_latency COMMAND nopal-bench-steal_latency --rounds 50)
add_test(NAME bench/wakeup_latency COMMAND nopal-bench-wakeup_latency --rounds 5)
add_test(NAME bench/idle_cpu COMMAND nopal-bench-idle_cpu --seconds 0.2)
set_tests_properties(bench/fork_price bench/steal_latency bench/wakeup_latency bench/idle_cpu
  PROPERTIES LABELS bench TIMEOUT 60)

# The runner, of any Python: its own tests, and one pass over everything that has been built.
find_package(Python3 3.10 COMPONENTS Interpreter)
if(Python3_FOUND)
  add_test(NAME bench/runner
    COMMAND ${Python3_EXECUTABLE} -m unittest discover -s ${CMAKE_CURRENT_SOURCE_DIR}/runner -p "*_test.py"
            -t ${CMAKE_CURRENT_SOURCE_DIR})
  add_test(NAME bench/run_bench
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/run_bench.py --build ${PROJECT_BINARY_DIR} --size smoke
            --rounds 1 --workload fib,quicksort --out ${CMAKE_CURRENT_BINARY_DIR}/smoke)
  set_tests_properties(bench/runner bench/run_bench PROPERTIES
    LABELS bench TIMEOUT 120 ENVIRONMENT PYTHONDONTWRITEBYTECODE=1)
endif()
