# SPDX-License-Identifier: Apache-2.0
# What there is to measure, for the runner: peers.json in the build directory of the benchmarks.

set_property(GLOBAL PROPERTY nopal_bench_families "")
set_property(GLOBAL PROPERTY nopal_bench_micros "")

# nopal_bench_present(FAMILY EXECUTABLE): a program that measures.
function(nopal_bench_present family executable)
  set_property(GLOBAL APPEND PROPERTY nopal_bench_families ${family})
  set_property(GLOBAL PROPERTY nopal_bench_executable_${family} "${executable}")
endfunction()

# nopal_bench_absent(FAMILY REASON): one that cannot be built here.
function(nopal_bench_absent family reason)
  set_property(GLOBAL APPEND PROPERTY nopal_bench_families ${family})
  set_property(GLOBAL PROPERTY nopal_bench_reason_${family} "${reason}")
  message(STATUS "nopal bench: ${family} left out, ${reason}")
endfunction()

function(nopal_bench_write_peers_json)
  set(json "{}")
  foreach(key IN ITEMS families micros)
    string(JSON json SET "${json}" ${key} "{}")
  endforeach()
  get_property(families GLOBAL PROPERTY nopal_bench_families)
  foreach(family IN LISTS families)
    get_property(executable GLOBAL PROPERTY nopal_bench_executable_${family})
    get_property(reason GLOBAL PROPERTY nopal_bench_reason_${family})
    string(REGEX REPLACE "[\"\\\\\n]" "'" reason "${reason}")
    if(executable)
      string(JSON json SET "${json}" families ${family} "{\"executable\": \"${executable}\"}")
    else()
      string(JSON json SET "${json}" families ${family} "{\"absent\": \"${reason}\"}")
    endif()
  endforeach()
  get_property(micros GLOBAL PROPERTY nopal_bench_micros)
  foreach(micro IN LISTS micros)
    string(JSON json SET "${json}" micros ${micro} "\"nopal-bench-${micro}\"")
  endforeach()
  file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/peers.json "${json}\n")
endfunction()
