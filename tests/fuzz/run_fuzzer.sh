#!/bin/sh
# SPDX-FileCopyrightText: 2026 The slipway authors
# SPDX-License-Identifier: Apache-2.0

# run_fuzzer.sh CLANG++ SOURCE_DIR WORK_DIR SECONDS: builds the fuzzer of the wire format with the address and undefined
# behaviour sanitizers, and runs it. The corpus stays in WORK_DIR, so that a later run goes on from there.
set -eu
compiler=$1 source=$2 work=$3 seconds=$4
mkdir -p "$work/corpus"
"$compiler" -std=c++20 -O1 -g -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined -pthread \
  -DCEREAL_THREAD_SAFE=1 -I"$source/core/base/include" -I"$source/core/rpc/include" -I"$source/tests" \
  "$source/tests/fuzz/wire_fuzzer.cpp" "$source/tests/fuzz/wire_cases.cpp" "$source/core/rpc/src/bytes.cpp" \
  "$source/core/rpc/src/archive.cpp" "$source/core/base/src/error.cpp" "$source/core/base/src/seam.cpp" \
  -o "$work/wire_fuzzer"
cd "$work"
exec ./wire_fuzzer -max_total_time="$seconds" -max_len=1024 -rss_limit_mb=2048 -print_final_stats=1 corpus
