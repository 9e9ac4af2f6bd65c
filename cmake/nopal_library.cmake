# SPDX-License-Identifier: Apache-2.0
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
# hwloc ships no CMake package. The same prefix is used in nopalConfig.cmake: the exported target
# refers to it by name.
pkg_check_modules(nopal_hwloc REQUIRED IMPORTED_TARGET hwloc>=2.0)

# Without it helper threads do what io_uring would do.
set(nopal_has_uring OFF)
if(NOT NOPAL_IO_URING STREQUAL "OFF")
  set(required)
  if(NOPAL_IO_URING STREQUAL "ON")
    set(required REQUIRED)
  endif()
  pkg_check_modules(nopal_liburing ${required} IMPORTED_TARGET liburing>=2.3)
  set(nopal_has_uring ${nopal_liburing_FOUND})
endif()
if(NOT nopal_has_uring)
  message(STATUS "nopal: input and output without io_uring (Debian package: liburing-dev)")
endif()

# Without it numbers are sorted as everything else is.
set(nopal_has_highway OFF)
if(NOT NOPAL_HIGHWAY STREQUAL "OFF")
  set(required)
  if(NOPAL_HIGHWAY STREQUAL "ON")
    set(required REQUIRED)
  endif()
  pkg_check_modules(nopal_highway ${required} IMPORTED_TARGET libhwy-contrib>=1.0)
  set(nopal_has_highway ${nopal_highway_FOUND})
endif()
if(NOT nopal_has_highway)
  message(STATUS "nopal: sorts numbers without vector instructions (Debian package: libhwy-dev)")
endif()

# For programs, too: a function whose frame is larger than the guard of a stack touches each page of
# it on the way, so that it meets the guard. Functions with small frames stay as they are.
set(nopal_stack_flag -fstack-clash-protection)

set(nopal_soversion ${PROJECT_VERSION_MAJOR})
if(PROJECT_VERSION_MAJOR EQUAL 0)
  string(APPEND nopal_soversion .${PROJECT_VERSION_MINOR})
endif()

# nopal_add_library(TARGET [STATIC|SHARED] [EXCLUDE_FROM_ALL]): the library from all its sources.
function(nopal_add_library target)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/src/(mapped|mpi)/")  # libraries of their own
  add_library(${target} ${ARGN} ${sources})
  # Under -flto the linker sees only the symbols that the compiler lists, and those of assembly are
  # not among them. So these two stay ordinary objects.
  set_source_files_properties(${PROJECT_SOURCE_DIR}/src/deque/push_aside.cpp
    ${PROJECT_SOURCE_DIR}/src/platform/context.cpp PROPERTIES COMPILE_OPTIONS -fno-lto)
  target_include_directories(${target}
    PUBLIC "$<BUILD_INTERFACE:${nopal_variants}>"  # before what has the same names
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_compile_definitions(${target} PUBLIC ${nopal_definitions})
  target_compile_options(${target} PUBLIC ${nopal_sanitizer_flags}
    $<$<COMPILE_LANG_AND_ID:C,GNU,Clang>:${nopal_stack_flag}>
    $<$<COMPILE_LANG_AND_ID:CXX,GNU,Clang>:${nopal_stack_flag}>)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    # A strand that goes on on another stack would not pass a check of return addresses. Objects
    # that do not say that they bear one keep it off in the whole program, whatever the flags are.
    target_compile_options(${target} PRIVATE -fcf-protection=none)
  endif()
  # glibc never unloads what has a unique symbol of g++, and std::to_string is enough for one. A
  # plugin that contains nopal is not to have one because of nopal, and one that CMake builds is to
  # have none of its own. Other programs stay as they are.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -fno-gnu-unique)
  endif()
  set(is_plugin $<STREQUAL:$<TARGET_PROPERTY:TYPE>,MODULE_LIBRARY>)
  target_compile_options(${target} INTERFACE
    $<$<AND:${is_plugin},$<COMPILE_LANG_AND_ID:CXX,GNU>>:-fno-gnu-unique>)
  target_link_options(${target} PUBLIC ${nopal_sanitizer_link_flags})
  if(PROJECT_IS_TOP_LEVEL)
    # Reading these takes most of the time that a source takes. A project that adds
    # nopal as a subdirectory builds without them, as a test in ./run check --all does source by
    # source: so it is found if a source lacks one.
    target_precompile_headers(${target} PRIVATE <algorithm> <atomic> <memory> <optional> <string>
      <vector>
      ${PROJECT_SOURCE_DIR}/src/scheduler/scheduler.hpp)
  endif()
  target_link_libraries(${target} PUBLIC Threads::Threads PRIVATE PkgConfig::nopal_hwloc)
  if(nopal_has_uring)
    target_link_libraries(${target} PRIVATE PkgConfig::nopal_liburing)
    target_compile_definitions(${target} PRIVATE NOPAL_HAS_URING=1)
  endif()
  if(nopal_has_highway)
    target_link_libraries(${target} PRIVATE PkgConfig::nopal_highway)
    target_compile_definitions(${target} PRIVATE NOPAL_HAS_HIGHWAY=1)
  endif()
  set_target_properties(${target}
    PROPERTIES CXX_EXTENSIONS OFF
    # A static nopal may become a part of a shared library.
    POSITION_INDEPENDENT_CODE ON
    VERSION ${PROJECT_VERSION}
    # Before 1.0 every minor version may change the interface.
    SOVERSION ${nopal_soversion})
  if(NOPAL_TOGETHER)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON)
  endif()
endfunction()
