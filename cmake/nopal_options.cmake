# SPDX-License-Identifier: Apache-2.0
# Every option of the build. All begin with NOPAL_, so that none meets one of a project that has
# nopal as a subdirectory.

# nopal_choice(NAME DEFAULT HELP ALLOWED...): a cache variable with one of a few values. Another
# value is refused here, because further on it would only choose nothing.
function(nopal_choice name default help)
  set(${name} "${default}" CACHE STRING "${help}")
  set_property(CACHE ${name} PROPERTY STRINGS ${ARGN})
  if(NOT "${${name}}" IN_LIST ARGN)
    list(JOIN ARGN "\", \"" allowed)
    message(FATAL_ERROR "${name} is \"${${name}}\"; allowed are \"${allowed}\".")
  endif()
endfunction()

nopal_choice(NOPAL_DEQUE asymmetric "The workers' deque" asymmetric fenced split abp the)
nopal_choice(NOPAL_JOIN waitfree "The word of the joins" waitfree locked)
nopal_choice(NOPAL_FORK continuation "What of a fork_frame is stolen" continuation child)

# nopal_variants(VARIABLE): what comes first in the include path for the deque, the join and the
# fork that are chosen: folders with other headers of the same names, and the folder from which
# those include what exists to be compared. It lies in variants/ and is never installed.
function(nopal_variants variable)
  set(folders)
  if(NOT NOPAL_DEQUE STREQUAL "asymmetric")
    list(APPEND folders ${PROJECT_SOURCE_DIR}/variants/deque/${NOPAL_DEQUE})
  endif()
  if(NOT NOPAL_JOIN STREQUAL "waitfree")
    list(APPEND folders ${PROJECT_SOURCE_DIR}/variants/join/${NOPAL_JOIN})
  endif()
  if(NOT NOPAL_FORK STREQUAL "continuation")
    list(APPEND folders ${PROJECT_SOURCE_DIR}/variants/fork/${NOPAL_FORK})
  endif()
  if(folders)
    list(APPEND folders ${PROJECT_SOURCE_DIR})
  endif()
  set(${variable} ${folders} PARENT_SCOPE)
endfunction()
nopal_variants(nopal_variants)
set(nopal_is_variant OFF)
if(nopal_variants)
  set(nopal_is_variant ON)
endif()

nopal_choice(NOPAL_SANITIZE "" "Sanitizers: address (with undefined) or thread" "" address thread)

nopal_choice(NOPAL_IO_URING AUTO "Input and output by io_uring, with liburing" AUTO ON OFF)
nopal_choice(NOPAL_HIGHWAY AUTO "Sort numbers by vector instructions, with Highway" AUTO ON OFF)

# The presets in CMakePresets.json switch on what they build; by default only the library is built.
option(NOPAL_COUNT_FORKS "Count forks in the statistics; slows each fork down" OFF)
option(NOPAL_CHECK "Check what programs do with nopal; docs/reference.md, Find misuse" OFF)
option(NOPAL_TOGETHER "Compile the library's sources many at once, which takes less time" OFF)
option(NOPAL_INSTALL "Define the install rules" ${PROJECT_IS_TOP_LEVEL})
option(NOPAL_BUILD_TESTS "Build the tests" OFF)
option(NOPAL_BUILD_EXAMPLES "Build the examples, and run them as tests" OFF)
option(NOPAL_BUILD_APPS "Build the programs under apps/" OFF)
option(NOPAL_BUILD_BENCH "Build the benchmarks; measure in the preset 'bench'" OFF)

# Cilk's keywords: a plugin of clang 19, for which its development packages are needed. The plugin
# runs on the machine that builds.
find_program(NOPAL_CLANG clang-19)
find_program(NOPAL_CLANGXX clang++-19)
find_path(NOPAL_LLVM_INCLUDE clang/Frontend/FrontendPluginRegistry.h PATHS /usr/lib/llvm-19/include
  NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH)
set(nopal_can_build_cilk OFF)
if(NOPAL_CLANG AND NOPAL_CLANGXX AND EXISTS "${NOPAL_LLVM_INCLUDE}/llvm/Passes/PassPlugin.h"
   AND NOT nopal_is_variant)
  set(nopal_can_build_cilk ON)
else()
  message(STATUS "nopal: without Cilk's keywords (Debian packages: clang-19, libclang-19-dev and "
    "llvm-19-dev)")
endif()
if(NOT PROJECT_IS_TOP_LEVEL)
  set(nopal_can_build_cilk OFF)
endif()
option(NOPAL_BUILD_CILK "Build the plugin for Cilk's keywords" ${nopal_can_build_cilk})
set(NOPAL_CILK_PLUGIN_FILE "" CACHE FILEPATH
  "nopal_cilk.so of another build of the same sources, to be used instead of compiling it")
if(NOPAL_CILK_PLUGIN_FILE AND NOT EXISTS ${NOPAL_CILK_PLUGIN_FILE})
  message(FATAL_ERROR "NOPAL_CILK_PLUGIN_FILE: there is no ${NOPAL_CILK_PLUGIN_FILE}; give the "
    "path of the nopal_cilk.so of another build, or none to compile it")
endif()

# Mapped stacks need an allocator that can be given shared memory, and glibc's layout of locks. What
# sanitizers know of memory belongs to a process. A project around nopal gets neither mapped stacks
# nor find_package's variables, unless it asks.
if(PROJECT_IS_TOP_LEVEL OR NOPAL_BUILD_MAPPED)
  find_package(mimalloc 2.0 CONFIG QUIET)
endif()
set(nopal_can_build_mapped OFF)
if(mimalloc_FOUND AND NOT NOPAL_SANITIZE AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64"
   AND NOT CMAKE_CROSSCOMPILING AND NOPAL_FORK STREQUAL "continuation"
   AND NOPAL_DEQUE STREQUAL "asymmetric")
  set(nopal_can_build_mapped ON)
elseif(PROJECT_IS_TOP_LEVEL)
  message(STATUS "nopal: without mapped stacks (x86-64, no sanitizer; Debian package: "
    "libmimalloc-dev)")
endif()
option(NOPAL_BUILD_MAPPED "Build the runtime whose workers are processes; docs/mapped.md"
  ${nopal_can_build_mapped})
if(NOPAL_BUILD_MAPPED AND NOT nopal_can_build_mapped)
  message(FATAL_ERROR "NOPAL_BUILD_MAPPED needs x86-64, glibc, libmimalloc-dev, no sanitizer, and "
    "the default deque and fork")
endif()

# Several machines, by MPI. A sanitizer finds faults in the engines themselves.
nopal_choice(NOPAL_BUILD_MPI AUTO "Build what shares work between processes of an MPI program"
  AUTO ON OFF)
set(nopal_has_mpi OFF)
if(NOPAL_BUILD_MPI STREQUAL "ON"
   OR (NOPAL_BUILD_MPI STREQUAL "AUTO" AND PROJECT_IS_TOP_LEVEL AND NOT NOPAL_SANITIZE
       AND NOT CMAKE_CROSSCOMPILING AND NOT nopal_is_variant))
  set(required QUIET)
  if(NOPAL_BUILD_MPI STREQUAL "ON")
    set(required REQUIRED)
  endif()
  # The old C++ interface of MPI is not used, and its headers warn.
  set(MPI_CXX_SKIP_MPICXX ON)
  find_package(MPI 3.0 ${required} COMPONENTS CXX)
  set(nopal_has_mpi ${MPI_CXX_FOUND})
  if(NOT nopal_has_mpi)
    message(STATUS "nopal: without nopal::mpi (Debian packages: libopenmpi-dev and openmpi-bin)")
  endif()
endif()

# What the headers and the library must agree on. Users of the library get these with its CMake
# target and from pkg-config: a header compiled for another library would corrupt memory.
set(nopal_definitions)
if(NOPAL_COUNT_FORKS)
  list(APPEND nopal_definitions NOPAL_COUNT_FORKS=1)
endif()
if(NOPAL_CHECK)
  list(APPEND nopal_definitions NOPAL_CHECK=1)
endif()

set(nopal_sanitizer_flags)
set(nopal_sanitizer_link_flags)
if(NOPAL_SANITIZE STREQUAL "address")
  # Undefined behaviour ends the program: a test that only prints it would pass.
  set(nopal_sanitizer_link_flags -fsanitize=address,undefined)
  set(nopal_sanitizer_flags ${nopal_sanitizer_link_flags} -fno-sanitize-recover=all
    -fno-omit-frame-pointer)
elseif(NOPAL_SANITIZE STREQUAL "thread")
  set(nopal_sanitizer_link_flags -fsanitize=thread)
  set(nopal_sanitizer_flags ${nopal_sanitizer_link_flags} -fno-omit-frame-pointer)
  # ThreadSanitizer notes calls for its reports, on the stack where a function begins and again
  # where it returns. A strand is left in the middle of functions, and that of a fork_frame goes on
  # on another stack: the notes would grow until they overflow. So there are none, and reports name
  # the innermost function only.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    list(APPEND nopal_sanitizer_flags --param=tsan-instrument-func-entry-exit=0)
  else()
    list(APPEND nopal_sanitizer_flags -mllvm -tsan-instrument-func-entry-exit=0)
  endif()
endif()

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
endif()
