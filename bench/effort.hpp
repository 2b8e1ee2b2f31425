// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "flags.hpp"
#include "measure.hpp"

namespace bench {

// Of a program whose only flag is --effort PERCENT.
inline Effort effort_from(int argc, char** argv) {
  examples::Flags flags(argc, argv);
  const Effort effort{flags.get("--effort", 100)};
  flags.check();
  return effort;
}

}  // namespace bench
