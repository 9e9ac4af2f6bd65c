# SPDX-License-Identifier: Apache-2.0
# Run by ctest: compiles `source` with `flags` and links it with `library` and the `libraries` that
# it needs. Succeeds if that does, or, where `named` is not empty, if it does not and the error
# names that configuration.
cmake_minimum_required(VERSION 3.25)

execute_process(COMMAND ${compiler} -std=c++20 ${flags} ${source} ${library} ${libraries}
  -pthread -o ${program}
  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output COMMAND_ECHO STDOUT)
message("${output}")
if(named STREQUAL "")
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "A program of the same configuration does not link.")
  endif()
elseif(status EQUAL 0)
  message(FATAL_ERROR "A program of another configuration links.")
elseif(NOT output MATCHES "undefined[^\n]*nopal_configured_for__${named}[^_a-z]")
  message(FATAL_ERROR "The error does not name the configuration ${named}.")
endif()
