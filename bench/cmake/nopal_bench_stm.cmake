# SPDX-License-Identifier: Apache-2.0
# Transactions: one program for each variant, from the same sources. bench/run_stm.py measures them.

# What runs under valgrind must not have each instruction that -march=native may use.
set(nopal_bench_stm_plain)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(nopal_bench_stm_plain -march=x86-64-v3)
endif()

# The record, which is not the measured code.
add_library(nopal_bench_stm_program STATIC stm/record.cpp harness/machine.cpp
  harness/process_usage.cpp)
nopal_bench_compile(nopal_bench_stm_program -O0)
target_compile_options(nopal_bench_stm_program PRIVATE ${nopal_bench_stm_plain})
target_include_directories(nopal_bench_stm_program SYSTEM PUBLIC ${NOPAL_BENCH_JSON})
target_include_directories(nopal_bench_stm_program PRIVATE ${PROJECT_SOURCE_DIR}/include)

# nopal_bench_stm(VARIANT PEER name [VERSION version] [DEFINITIONS definition...]
#   [LIBRARIES target...] [OPTIONS flag...])
function(nopal_bench_stm variant)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "PEER;VERSION" "DEFINITIONS;LIBRARIES;OPTIONS")
  set(target nopal-bench-stm-${variant})
  add_executable(${target} stm/main.cpp)
  nopal_bench_compile(${target})
  target_compile_options(${target} PRIVATE ${arg_OPTIONS})
  target_compile_definitions(${target} PRIVATE ${arg_DEFINITIONS} NOPAL_BENCH_VARIANT="${variant}"
    NOPAL_BENCH_PEER="${arg_PEER}" NOPAL_BENCH_PEER_VERSION="${arg_VERSION}")
  target_link_libraries(${target} PRIVATE nopal_bench_stm_program Threads::Threads
    ${arg_LIBRARIES})
  add_dependencies(nopal_bench ${target})
  add_test(NAME bench/stm/${variant} COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:${target}>
    -DVARIANT=${variant} -P ${CMAKE_CURRENT_SOURCE_DIR}/cmake/stm_smoke_test.cmake)
  set_tests_properties(bench/stm/${variant} PROPERTIES LABELS bench TIMEOUT 300)
endfunction()

# nopal_bench_stm_nopal(VARIANT LOCKS READS [LIBRARY target] [argument of nopal_bench_stm...])
function(nopal_bench_stm_nopal variant locks reads)
  cmake_parse_arguments(PARSE_ARGV 3 arg "" "LIBRARY" "DEFINITIONS;OPTIONS")
  if(NOT arg_LIBRARY)
    set(arg_LIBRARY nopal::nopal)
  endif()
  nopal_bench_stm(${variant} PEER nopal VERSION ${PROJECT_VERSION} LIBRARIES ${arg_LIBRARY}
    OPTIONS ${arg_OPTIONS}
    DEFINITIONS NOPAL_BENCH_TM=NOPAL_BENCH_TM_NOPAL ${arg_DEFINITIONS}
    "NOPAL_STM_LOCKS=nopal::stm::${locks}" "NOPAL_STM_READS=nopal::stm::${reads}")
endfunction()

nopal_bench_stm_nopal(inline inline_lock array_reads)
if(NOPAL_SANITIZE)
  return()
endif()
nopal_bench_stm_nopal(inline-hash inline_lock hash_reads)
nopal_bench_stm_nopal(word word_lock array_reads)
foreach(bits IN ITEMS 16 20 25)
  nopal_bench_stm_nopal(table-${bits} "lock_table<${bits}, 3>" array_reads)
endforeach()
nopal_bench_stm_nopal(table-20-hash "lock_table<20, 3>" hash_reads)
# Not for time: these count the sizes of read-sets, and run under valgrind.
nopal_add_library(nopal_plain STATIC EXCLUDE_FROM_ALL)
target_compile_options(nopal_plain PRIVATE ${nopal_bench_stm_plain})
nopal_bench_stm_nopal(inline-counted inline_lock array_reads LIBRARY nopal_plain
  DEFINITIONS NOPAL_BENCH_READ_SETS OPTIONS ${nopal_bench_stm_plain})
nopal_bench_stm_nopal(table-20-counted "lock_table<20, 3>" array_reads LIBRARY nopal_plain
  DEFINITIONS NOPAL_BENCH_READ_SETS OPTIONS ${nopal_bench_stm_plain})

nopal_bench_stm(serial PEER serial DEFINITIONS NOPAL_BENCH_TM=NOPAL_BENCH_TM_SERIAL)
nopal_bench_stm(mutex PEER std::mutex DEFINITIONS NOPAL_BENCH_TM=NOPAL_BENCH_TM_MUTEX)
nopal_bench_stm(shared-mutex PEER std::shared_mutex
  DEFINITIONS NOPAL_BENCH_TM=NOPAL_BENCH_TM_SHARED_MUTEX)

# libitm, with which g++ compiles transactions of the language. The last two options: g++ 12 ends
# with an internal error where a pass adds a trap to a transaction, and libitm lacks the sized
# operator delete.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  include(CheckCXXSourceCompiles)
  set(CMAKE_REQUIRED_FLAGS -fgnu-tm)
  check_cxx_source_compiles(
    "int x; int main() { __transaction_atomic { ++x; } return x - 1; }" NOPAL_BENCH_LIBITM)
  unset(CMAKE_REQUIRED_FLAGS)
  if(NOPAL_BENCH_LIBITM)
    # With warnings g++ 12 crashes on yada for some processors (-march=native), in tmmemopt.
    nopal_bench_stm(libitm PEER libitm VERSION ${CMAKE_CXX_COMPILER_VERSION}
      DEFINITIONS NOPAL_BENCH_TM=NOPAL_BENCH_TM_LIBITM LIBRARIES -fgnu-tm
      OPTIONS -fgnu-tm -Wno-all -Wno-extra -fno-isolate-erroneous-paths-dereference
        -fno-sized-deallocation)
  endif()
endif()

# The crates stm and fast-stm: the smallest transactions.
nopal_bench_cargo(reason rust-stm)
if(reason)
  message(STATUS "nopal bench: stm: the crates stm and fast-stm left out, ${reason}")
else()
  foreach(crate IN ITEMS stm fast-stm)
    add_test(NAME bench/stm/rust-${crate} COMMAND
      ${CMAKE_CURRENT_BINARY_DIR}/rust-stm/release/nopal-bench-rust-stm ${crate} one-var-shared 2
      100)
    set_tests_properties(bench/stm/rust-${crate} PROPERTIES LABELS bench TIMEOUT 300)
  endforeach()
endif()
