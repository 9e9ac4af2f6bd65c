# SPDX-License-Identifier: Apache-2.0
# nopal::mapped, the runtime whose workers are processes. It is static, so that what it replaces of
# the C library is in the program itself, where every shared library finds it first.

# nopal_add_mapped(TARGET CORE [EXCLUDE_FROM_ALL]): that runtime over the library CORE.
function(nopal_add_mapped target core)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/mapped/*.cpp)
  add_library(${target} STATIC ${ARGN} ${sources})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  # What replaces functions of the C library must stay for libraries that the linker does not see.
  target_compile_options(${target} PRIVATE -fcf-protection=none -fno-lto)
  target_link_libraries(${target} PUBLIC ${core} mimalloc)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)
endfunction()
