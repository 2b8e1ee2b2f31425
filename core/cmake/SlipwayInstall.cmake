# SPDX-FileCopyrightText: 2026 The slipway authors
# SPDX-License-Identifier: Apache-2.0
include(CMakePackageConfigHelpers)

set(config_dir "${CMAKE_INSTALL_LIBDIR}/cmake/slipway")
install(EXPORT slipway_targets NAMESPACE slipway:: FILE slipwayTargets.cmake DESTINATION ${config_dir})
configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/slipwayConfig.cmake.in"
                              "${PROJECT_BINARY_DIR}/slipwayConfig.cmake" INSTALL_DESTINATION ${config_dir})
write_basic_package_version_file("${PROJECT_BINARY_DIR}/slipwayConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/slipwayConfig.cmake" "${PROJECT_BINARY_DIR}/slipwayConfigVersion.cmake"
        DESTINATION ${config_dir})
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION ${CMAKE_INSTALL_DOCDIR})
