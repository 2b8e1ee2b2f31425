// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Everything that a program needs.
#include "slipway/base/error.hpp"
#include "slipway/hdf5_lock.hpp"
#include "slipway/rpc/async.hpp"
#include "slipway/rpc/buffer.hpp"
#include "slipway/rpc/combine.hpp"
#include "slipway/rpc/future.hpp"
#include "slipway/rpc/handle.hpp"
#include "slipway/rpc/promise.hpp"
#include "slipway/runtime/context.hpp"
#include "slipway/runtime/launch.hpp"
#include "slipway/runtime/options.hpp"
#include "slipway/runtime/program.hpp"
#include "slipway/tasks/tasks.hpp"
