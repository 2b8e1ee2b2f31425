// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0

// Carries the compile flags of a user of slipway::slipway; see tests/cmake/SlipwayTest.cmake.
