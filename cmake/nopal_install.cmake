# SPDX-License-Identifier: Apache-2.0
include(CMakePackageConfigHelpers)

set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/nopal)

install(TARGETS nopal EXPORT nopalTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/nopal include/cilk DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING
  PATTERN "*.hpp" PATTERN "*.h")
install(EXPORT nopalTargets NAMESPACE nopal:: DESTINATION ${config_dir})

if(NOPAL_BUILD_MAPPED)
  # Only for those who have mimalloc, on which the target depends: nopalConfig.cmake asks.
  install(TARGETS nopal_mapped EXPORT nopalMappedTargets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT nopalMappedTargets NAMESPACE nopal:: DESTINATION ${config_dir})
endif()

if(nopal_has_mpi)
  # Only for those who ask for it.
  install(TARGETS nopal_mpi EXPORT nopalMpiTargets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT nopalMpiTargets NAMESPACE nopal:: DESTINATION ${config_dir})
endif()

configure_package_config_file(cmake/nopalConfig.cmake.in ${PROJECT_BINARY_DIR}/nopalConfig.cmake
  INSTALL_DESTINATION ${config_dir} NO_SET_AND_CHECK_MACRO)
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/nopalConfigVersion.cmake COMPATIBILITY
  SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/nopalConfig.cmake ${PROJECT_BINARY_DIR}/nopalConfigVersion.cmake
  DESTINATION ${config_dir})

set(nopal_cflags ${nopal_definitions})
list(TRANSFORM nopal_cflags PREPEND "-D")
list(APPEND nopal_cflags ${nopal_stack_flag} ${nopal_sanitizer_flags} ${CMAKE_THREAD_LIBS_INIT})
list(JOIN nopal_cflags " " nopal_cflags)
list(JOIN nopal_sanitizer_link_flags " " nopal_libs)
# A program that links a static nopal links these itself; a shared nopal has done so.
set(nopal_requires Requires)
if(BUILD_SHARED_LIBS)
  set(nopal_requires Requires.private)
endif()
set(nopal_requires_uring)
if(nopal_has_uring)
  set(nopal_requires_uring ", liburing >= 2.3")
endif()
set(nopal_requires_highway)
if(nopal_has_highway)
  set(nopal_requires_highway ", libhwy-contrib >= 1.0")
endif()
# The prefix is found from where the .pc file lies, so that an installed tree may be moved.
file(RELATIVE_PATH nopal_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/nopal.pc.in ${PROJECT_BINARY_DIR}/nopal.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/nopal.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(nopal_has_mpi)
  list(JOIN MPI_CXX_LIBRARIES " " nopal_mpi_libs)
  configure_file(cmake/nopal-mpi.pc.in ${PROJECT_BINARY_DIR}/nopal-mpi.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/nopal-mpi.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()
