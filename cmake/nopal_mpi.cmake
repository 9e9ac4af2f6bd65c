# SPDX-License-Identifier: Apache-2.0
# nopal::mpi, work that processes of an MPI program share. It is a library of its own, so that nopal
# itself needs no MPI.

# For programs under test: ranks share the CPUs of this machine, and the user may be root. What is
# meant for Open MPI others do not read.
set(nopal_mpi_environment OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_plm=isolated
  OMPI_MCA_btl=self,vader NOPAL_WORKERS=2)

# nopal_add_mpi(TARGET CORE): that library over the library CORE.
function(nopal_add_mpi target core)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/mpi/*.cpp)
  add_library(${target} ${sources})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${target} PUBLIC ${core} PRIVATE MPI::MPI_CXX)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON
    VERSION ${PROJECT_VERSION} SOVERSION ${nopal_soversion})
endfunction()
