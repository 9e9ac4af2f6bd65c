# SPDX-License-Identifier: Apache-2.0
# libfork, where it is installed (set libfork_DIR or CMAKE_PREFIX_PATH); it is not fetched.
find_package(libfork CONFIG QUIET)
if(TARGET libfork::libfork)
  # Its calls with () work with every compiler; it calls them deprecated where those with [] work too.
  nopal_bench_program(libfork SOURCE libfork LIBRARIES libfork::libfork OPTIONS -Wno-deprecated-declarations)
else()
  nopal_bench_absent(libfork "find_package(libfork) found none")
endif()
