# SPDX-License-Identifier: Apache-2.0
# cmake -D program=... -D filter=... -P expect_failure.cmake: succeeds when the program, a mutant,
# does not: by a wrong result, a crash or a hang. A program that cannot be started has not been
# found wrong.
execute_process(COMMAND ${program} --gtest_filter=${filter} --gtest_brief=1 --gtest_fail_fast
  TIMEOUT 100
  RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
message("${output}")
if(result STREQUAL "0")
  message(FATAL_ERROR "The mutant passes: the adversary does not find what it is there to find.")
endif()
if(NOT output MATCHES "seed [0-9]+: ")
  message(FATAL_ERROR
    "The mutant failed by something else than a run under the adversary: ${result}")
endif()
message("Found: ${result}")
