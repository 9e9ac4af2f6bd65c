# SPDX-License-Identifier: Apache-2.0
# nopal::mapped, the runtime whose workers are processes. It is static, so that what it replaces of
# the C library is in the program itself, where every shared library finds it first.
file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/mapped/*.cpp)
add_library(nopal_mapped STATIC ${sources})
add_library(nopal::mapped ALIAS nopal_mapped)
target_include_directories(nopal_mapped PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_compile_options(nopal_mapped PRIVATE -fcf-protection=none)
target_link_libraries(nopal_mapped PUBLIC nopal::nopal mimalloc)
set_target_properties(nopal_mapped
  PROPERTIES EXPORT_NAME mapped CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)
