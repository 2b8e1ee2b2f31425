// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace slipway::test {

// How often this thread has called operator new so far.
long allocations();

}  // namespace slipway::test
