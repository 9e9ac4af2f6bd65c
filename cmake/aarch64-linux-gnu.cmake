# SPDX-License-Identifier: Apache-2.0
# Cross compilation to aarch64 with Debian's compiler; the results run under qemu-user.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
# For GoogleTest, whose project asks for a C compiler too.
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)

# hwloc for aarch64 comes from here; the C and C++ libraries are the cross compiler's own.
set(nopal_sysroot ${CMAKE_CURRENT_LIST_DIR}/../build/sysroot-aarch64)
cmake_path(NORMAL_PATH nopal_sysroot)
set(nopal_sysroot_libs ${nopal_sysroot}/usr/lib/aarch64-linux-gnu)
if(NOT EXISTS ${nopal_sysroot_libs}/pkgconfig/hwloc.pc)
  message(FATAL_ERROR "hwloc for aarch64 is missing; fetch it with: cmake/aarch64-sysroot")
endif()

set(ENV{PKG_CONFIG_LIBDIR} ${nopal_sysroot_libs}/pkgconfig)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${nopal_sysroot})
# Where Debian keeps what differs between architectures; hwloc.h includes such a file, and hwloc.pc
# leaves it out.
set(CMAKE_CXX_STANDARD_INCLUDE_DIRECTORIES ${nopal_sysroot}/usr/include/aarch64-linux-gnu)
# libhwloc needs libudev, which no link line names.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-Wl,-rpath-link,${nopal_sysroot_libs}")

set(CMAKE_FIND_ROOT_PATH ${nopal_sysroot} /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

set(CMAKE_CROSSCOMPILING_EMULATOR
  qemu-aarch64 -L /usr/aarch64-linux-gnu -E LD_LIBRARY_PATH=${nopal_sysroot_libs})
