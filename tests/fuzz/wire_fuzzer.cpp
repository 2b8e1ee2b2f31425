// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>

#include "fuzz/wire_cases.hpp"

// libFuzzer's entry: any bytes, as anything that comes from the wire. What is thrown past it is a finding.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  slipway::fuzz::read_input({reinterpret_cast<const std::byte*>(data), size});
  return 0;
}
