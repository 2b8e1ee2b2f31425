// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/base/error.hpp"

#include <utility>

namespace slipway {

namespace {

std::string describe(const RemoteFailure& failure) {
  return failure.method + " on node '" + failure.node + "' (rank " + std::to_string(failure.rank) + ") threw " +
         failure.type + ": " + failure.text;
}

}  // namespace

std::string_view to_string(HandlerRan ran) {
  switch (ran) {
    case HandlerRan::no:
      return "no";
    case HandlerRan::maybe:
      return "maybe";
    case HandlerRan::yes:
      return "yes";
  }
  return "maybe";
}

RemoteError::RemoteError(RemoteFailure failure, HandlerRan ran)
    : CallError(describe(failure), ran), failure_(std::move(failure)) {}

}  // namespace slipway
