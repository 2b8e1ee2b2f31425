// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "slipway/graph/graph.hpp"
#include "slipway/observe/run_directory.hpp"

namespace slipway {

// Whether a program may go on in the run directory of an attempt before: throws UsageError where that was another
// program, ran with a slipway of another major or minor version, wire format or state format, or has saved what this
// graph cannot take: parts of nodes that it lacks, or has with another type. A program that was built anew, other
// nodes that have saved nothing, another placement and another number of ranks are welcome.
void require_same_run(const RunDirectory& directory, const Graph& graph);

}  // namespace slipway
