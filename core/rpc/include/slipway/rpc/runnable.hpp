// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "slipway/base/recycled.hpp"

namespace slipway::detail {

// A piece of work for a pool thread. `execute` disposes of it.
class Runnable : public recycled::Object {
 public:
  virtual ~Runnable() = default;
  virtual void execute() = 0;
  Runnable* next = nullptr;
};

}  // namespace slipway::detail
