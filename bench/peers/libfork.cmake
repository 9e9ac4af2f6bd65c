# SPDX-License-Identifier: Apache-2.0
# libfork, where it is installed (set libfork_DIR or CMAKE_PREFIX_PATH); it is not fetched. By the
# compiler of the rest, and by clang++ too, which makes faster programs of its coroutines.
find_package(libfork CONFIG QUIET)
if(NOT TARGET libfork::libfork)
  nopal_bench_absent(libfork "find_package(libfork) found none")
  return()
endif()
# Its calls with () work with every compiler; it calls them deprecated where those with [] work too.
nopal_bench_kernels(nopal_bench_libfork_kernels libfork ${nopal_bench_recursions}
  ${nopal_bench_loops})
nopal_bench_program(libfork SOURCE libfork KERNELS ${nopal_bench_libfork_kernels} LIBRARIES
  libfork::libfork
  OPTIONS -Wno-deprecated-declarations)

if(NOPAL_BENCH_CLANG AND NOT NOPAL_SANITIZE AND NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  get_target_property(definitions libfork::libfork INTERFACE_COMPILE_DEFINITIONS)
  list(REMOVE_ITEM definitions definitions-NOTFOUND)
  get_target_property(includes libfork::libfork INTERFACE_INCLUDE_DIRECTORIES)
  nopal_bench_other_compiler(libfork-llvm COMPILER ${NOPAL_BENCH_CLANG} SOURCE libfork
    KERNELS ${nopal_bench_libfork_kernels} FLAGS -std=c++23 -Wno-deprecated-declarations -pthread
    DEFINITIONS ${definitions} INCLUDES ${includes}
    LINK ${nopal_hwloc_LINK_LIBRARIES} -pthread)
endif()
