// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace slipway::launching {

// Until this is called in a rank that slipway's launcher started, the end of main and an exception out of it are left
// for the launcher as the rank's last words: mpirun would say no more than that a rank is gone.
void main_has_reached_launch();

}  // namespace slipway::launching
