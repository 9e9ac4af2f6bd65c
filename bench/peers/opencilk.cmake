# SPDX-License-Identifier: Apache-2.0
# OpenCilk: an extension of C++ by a compiler of its own, which compiles only this program.

# nopal_bench_compiles_opencilk(RESULT COMPILER): sets RESULT to FALSE unless it builds an OpenCilk
# program that runs.
function(nopal_bench_compiles_opencilk result compiler)
  set(trial ${CMAKE_CURRENT_BINARY_DIR}/opencilk-trial)
  file(WRITE ${trial}.cpp
    "#include <cilk/cilk.h>\nvoid set(int* x) { *x = 1; }\n"
    "int main() {\n  int x = 0;\n  cilk_scope {\n    cilk_spawn set(&x);\n  }\n"
    "  return x == 1 ? 0 : 1;\n}\n")
  execute_process(COMMAND ${compiler} -std=c++20 -fopencilk ${trial}.cpp -o ${trial}
    RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
  if(status EQUAL 0)
    execute_process(COMMAND ${trial} RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
  endif()
  if(NOT status EQUAL 0)
    set(${result} FALSE PARENT_SCOPE)
  endif()
endfunction()

function(nopal_bench_opencilk)
  if(CMAKE_CROSSCOMPILING)
    nopal_bench_absent(opencilk "not cross-compiled")
    return()
  endif()
  # Its installer proposes /opt/opencilk.
  find_program(NOPAL_BENCH_OPENCILK NAMES clang++ HINTS /opt/opencilk/bin VALIDATOR
    nopal_bench_compiles_opencilk
    DOC "OpenCilk's clang++")
  mark_as_advanced(NOPAL_BENCH_OPENCILK)
  if(NOT NOPAL_BENCH_OPENCILK)
    nopal_bench_absent(opencilk
      "no clang++ found that compiles -fopencilk (set NOPAL_BENCH_OPENCILK)")
    return()
  endif()
  set(works TRUE)
  nopal_bench_compiles_opencilk(works ${NOPAL_BENCH_OPENCILK})
  if(NOT works)
    nopal_bench_absent(opencilk "${NOPAL_BENCH_OPENCILK} builds no OpenCilk program")
    return()
  endif()
  # OpenCilk 2.0 was seen to run fib without parallelism when it compiled it as C++, but not as C.
  # Of C++ functions alone clang assumes that they return, which lets it move calls without side
  # effects; not with -fno-finite-loops.
  nopal_bench_kernels(kernels opencilk ${nopal_bench_recursions} ${nopal_bench_loops})
  nopal_bench_other_compiler(opencilk COMPILER ${NOPAL_BENCH_OPENCILK} SOURCE cilk
    KERNELS ${kernels} SESSION opencilk
    FLAGS -fopencilk -fno-finite-loops LINK -fopencilk)
endfunction()

nopal_bench_opencilk()
