# SPDX-License-Identifier: Apache-2.0
# Programs in C. The project enables C++ only, so the compiler is called here as C's users call it,
# and C++ links what it makes.

# nopal_add_c_program(TARGET SOURCE FLAG... [COMPILER command...]): a program from one file, linked
# with nopal. COMPILER is by default the one of this build, as a compiler of C.
function(nopal_add_c_program target source)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "COMPILER")
  if(NOT arg_COMPILER)
    set(arg_COMPILER ${CMAKE_CXX_COMPILER} -x c)
    if(CMAKE_CXX_COMPILER_TARGET)
      list(APPEND arg_COMPILER --target=${CMAKE_CXX_COMPILER_TARGET})
    endif()
    if(CMAKE_SYSROOT)
      list(APPEND arg_COMPILER --sysroot=${CMAKE_SYSROOT})
    endif()
  endif()
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/nopal/*.h)
  cmake_path(GET source PARENT_PATH folder)
  file(GLOB own CONFIGURE_DEPENDS ${folder}/*.h)
  set(object ${CMAKE_CURRENT_BINARY_DIR}/${target}.o)
  add_custom_command(OUTPUT ${object}
    COMMAND ${arg_COMPILER} ${arg_UNPARSED_ARGUMENTS} -I${PROJECT_SOURCE_DIR}/include
      -c ${source} -o ${object}
    DEPENDS ${source} ${own} ${headers}
    VERBATIM)
  set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  add_executable(${target} ${object})
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
  target_link_libraries(${target} PRIVATE nopal::nopal)
endfunction()
