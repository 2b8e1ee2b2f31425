# SPDX-FileCopyrightText: 2026 The slipway authors
# SPDX-License-Identifier: Apache-2.0

# slipwayConfig.cmake.in names the same packages for users of the install tree.
find_package(Threads REQUIRED)
find_package(cereal REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)

set(SLIPWAY_HAS_MPI OFF)
if(NOT SLIPWAY_WITH_MPI STREQUAL "OFF")
  set(MPI_CXX_SKIP_MPICXX ON)  # the C++ bindings left the standard with MPI 3
  if(SLIPWAY_WITH_MPI STREQUAL "AUTO")
    find_package(MPI 3.1 QUIET COMPONENTS CXX)
  else()
    find_package(MPI 3.1 REQUIRED COMPONENTS CXX)
  endif()
  set(SLIPWAY_HAS_MPI ${MPI_CXX_FOUND})
endif()
if(SLIPWAY_HAS_MPI)
  if("-pthread" IN_LIST MPI_CXX_COMPILE_OPTIONS)  # then on all targets, or they cannot share a precompiled header
    target_compile_options(slipway_build_flags INTERFACE -pthread)
  endif()
  cmake_path(IS_ABSOLUTE MPIEXEC_EXECUTABLE absolute)
  if(NOT absolute)
    find_program(SLIPWAY_MPIEXEC "${MPIEXEC_EXECUTABLE}" REQUIRED)
    set_property(CACHE MPIEXEC_EXECUTABLE PROPERTY VALUE "${SLIPWAY_MPIEXEC}")
  endif()
  message(STATUS "slipway: with MPI ${MPI_CXX_VERSION} (${MPIEXEC_EXECUTABLE})")
else()
  message(STATUS "slipway: without MPI, programs run in one process only")
endif()
