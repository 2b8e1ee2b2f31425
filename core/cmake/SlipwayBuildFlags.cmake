# SPDX-FileCopyrightText: 2026 The slipway authors
# SPDX-License-Identifier: Apache-2.0

# Flags for slipway's own targets. They are linked privately and only in the build tree, so that no user inherits them.
add_library(slipway_build_flags INTERFACE)
if(SLIPWAY_WERROR)  # options are given by designated initialisers, which leave fields out on purpose
  target_compile_options(slipway_build_flags INTERFACE -Wall -Wextra -Wno-missing-field-initializers -Werror
                                                       # GCC 12 warns of overlaps in std::string that cannot be
                                                       $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
endif()
if(SLIPWAY_SANITIZE)
  target_compile_options(slipway_build_flags INTERFACE -fsanitize=${SLIPWAY_SANITIZE} -fno-sanitize-recover=all
                                                       -fno-omit-frame-pointer)
  target_link_options(slipway_build_flags INTERFACE -fsanitize=${SLIPWAY_SANITIZE})
endif()

if(CMAKE_INTERPROCEDURAL_OPTIMIZATION)  # worth a tenth of a small call; the release preset asks for it
  include(CheckIPOSupported)
  check_ipo_supported(RESULT ipo_supported OUTPUT ipo_problem LANGUAGES CXX)
  if(NOT ipo_supported)
    message(STATUS "slipway: without link-time optimisation, which does not work here: ${ipo_problem}")
    set(CMAKE_INTERPROCEDURAL_OPTIMIZATION OFF)
  elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set(SLIPWAY_LIBRARY_OPTIONS -ffat-lto-objects)  # the libraries serve programs that are linked without it, too
    # GCC 12 warns at the link of copies between vectors that cannot be.
    target_link_options(slipway_build_flags INTERFACE -Wno-stringop-overread -Wno-stringop-overflow)
  endif()
endif()

# With these settings several build trees share their objects, and precompiled headers are cached too.
if(PROJECT_IS_TOP_LEVEL AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(SLIPWAY_CCACHE ccache)
  mark_as_advanced(SLIPWAY_CCACHE)
  if(SLIPWAY_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_NOHASHDIR=1
                                    CCACHE_SLOPPINESS=pch_defines,time_macros ${SLIPWAY_CCACHE})
  endif()
endif()

# slipway_own_target(<target>): what every target of this project has in common.
function(slipway_own_target target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:slipway_build_flags>)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
endfunction()

# slipway_precompile(<target> [<other>]): what nearly every source reads is read once; with <other>, together with that
# target, which must be compiled alike. Each source still includes what it uses: the mpich preset compiles without this.
# JSON and CLI11 are not in the list: sources that do not use them would take longer.
function(slipway_precompile target)
  if(NOT PROJECT_IS_TOP_LEVEL)
    return()
  endif()
  if(ARGC GREATER 1)
    target_precompile_headers(${target} REUSE_FROM ${ARGV1})
  else()
    target_precompile_headers(
      ${target} PRIVATE <fmt/format.h> <algorithm> <atomic> <chrono> <filesystem> <functional> <map> <memory> <mutex>
                        <optional> <span> <string> <thread> <vector>)
  endif()
  target_compile_options(${target} PRIVATE ${SLIPWAY_PRECOMPILED_OPTIONS})
endfunction()

# Without this ccache keeps nothing that is compiled with precompiled headers.
set(SLIPWAY_PRECOMPILED_OPTIONS $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)

# slipway_library(<target> ALIAS <name> SOURCES <files>... INCLUDE_DIRS <dirs>...): a static library slipway::<name>.
function(slipway_library target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "ALIAS" "SOURCES;INCLUDE_DIRS")
  add_library(${target} STATIC ${arg_SOURCES})
  add_library(slipway::${arg_ALIAS} ALIAS ${target})
  slipway_own_target(${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${arg_ALIAS} POSITION_INDEPENDENT_CODE ON)
  target_compile_options(${target} PRIVATE ${SLIPWAY_LIBRARY_OPTIONS})
  if(SLIPWAY_WERROR)
    target_compile_options(${target} PRIVATE -Wconversion)
  endif()
  foreach(dir IN LISTS arg_INCLUDE_DIRS)
    target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${dir}>)
  endforeach()
  target_include_directories(${target} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  if(SLIPWAY_INSTALL)
    install(TARGETS ${target} EXPORT slipway_targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
    foreach(dir IN LISTS arg_INCLUDE_DIRS)
      install(DIRECTORY ${dir}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
    endforeach()
  endif()
endfunction()
