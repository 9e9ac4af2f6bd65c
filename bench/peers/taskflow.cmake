# SPDX-License-Identifier: Apache-2.0
# Taskflow, where it is installed (set Taskflow_DIR or CMAKE_PREFIX_PATH); it is not fetched.
# TaskGroup came with 4.0.
find_package(Taskflow CONFIG QUIET)
if(Taskflow_FOUND AND Taskflow_VERSION VERSION_GREATER_EQUAL 4.0)
  # g++ 12 believes that Taskflow's loops over ranges of one dimension use a second.
  nopal_bench_kernels(nopal_bench_taskflow_kernels taskflow ${nopal_bench_recursions}
    ${nopal_bench_loops})
  nopal_bench_program(taskflow SOURCE taskflow KERNELS ${nopal_bench_taskflow_kernels}
    LIBRARIES Taskflow::Taskflow OPTIONS -Wno-array-bounds)
elseif(Taskflow_FOUND)
  nopal_bench_absent(taskflow "Taskflow is ${Taskflow_VERSION}, older than 4.0")
else()
  nopal_bench_absent(taskflow "find_package(Taskflow) found none")
endif()
