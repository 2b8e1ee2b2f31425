// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

// One input for everything that reads bytes from the wire, shared by the mutation test and the fuzzer:
//   byte 0 the type, byte 1 how it is read (0 no segments, 1 early, 2 late, 3 as frames), byte 2 the number of
//   segments, 4 bytes a segment's size, then the body.
namespace slipway::fuzz {

std::size_t case_count();

// A valid input for a type; `variation` varies the value.
std::vector<std::byte> valid_input(std::size_t type, std::size_t mode, unsigned variation);

// What became of an input. Anything thrown that is not a WireError gets out.
struct Outcome {
  bool accepted = false;
  std::size_t announced = 0;  // bytes of the segments that may have been allocated
};
Outcome read_input(std::span<const std::byte> input);

}  // namespace slipway::fuzz
