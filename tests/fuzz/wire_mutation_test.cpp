// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <random>
#include <string>

#include "fuzz/wire_cases.hpp"

// Seeded damage to valid messages. Variables: SLIPWAY_MUTATIONS (how many, 200000), SLIPWAY_SEED (1).

namespace {

std::atomic<std::size_t> largest_allocation{0};

void* counted(std::size_t size) {
  std::size_t largest = largest_allocation.load(std::memory_order_relaxed);
  while (size > largest && !largest_allocation.compare_exchange_weak(largest, size, std::memory_order_relaxed)) {
  }
  void* block = std::malloc(size);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

}  // namespace

// This program's allocations are counted, to see that damage never makes a reader ask for much.
void* operator new(std::size_t size) { return counted(size); }
void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }

namespace slipway::fuzz {
namespace {

using Input = std::vector<std::byte>;
using Random = std::mt19937_64;

std::uint64_t from_environment(const char* name, std::uint64_t fallback) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : fallback;
}

std::size_t below(Random& random, std::size_t limit) { return limit == 0 ? 0 : random() % limit; }

Input any_valid_input(Random& random) {
  return valid_input(below(random, case_count()), below(random, 3), static_cast<unsigned>(random() % 1000));
}

void mutate_once(Input& input, Random& random) {
  static constexpr unsigned char interesting[] = {0, 1, 2, 127, 128, 254, 255};
  const std::size_t place = below(random, input.size());
  const auto at = input.begin() + static_cast<std::ptrdiff_t>(place);
  switch (random() % 8) {
    case 0:
      if (!input.empty()) input[place] ^= std::byte{1} << (random() % 8);
      break;
    case 1:
      if (!input.empty()) input[place] = static_cast<std::byte>(interesting[random() % std::size(interesting)]);
      break;
    case 2:
      input.erase(at, input.end());
      break;
    case 3:
      input.insert(at, 1 + random() % 9, static_cast<std::byte>(random()));
      break;
    case 4:
      if (!input.empty()) input.erase(at, at + static_cast<std::ptrdiff_t>(1 + below(random, input.size() - place)));
      break;
    case 5: {  // a large size
      const std::uint64_t size = random() >> (random() % 64);
      input.insert(at, 9, std::byte{255});
      std::memcpy(input.data() + place + 1, &size, sizeof(size));
      break;
    }
    case 6: {  // the head of one message, the tail of another
      const Input other = any_valid_input(random);
      input.resize(place);
      input.insert(input.end(), other.begin() + static_cast<std::ptrdiff_t>(below(random, other.size())), other.end());
      break;
    }
    default:
      if (input.size() > 3) input[2 + random() % 2] = static_cast<std::byte>(random());  // the segments
      break;
  }
}

std::string hexadecimal(const Input& input) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : input) {
    text += digits[std::to_integer<unsigned>(byte) >> 4U];
    text += digits[std::to_integer<unsigned>(byte) & 15U];
  }
  return text;
}

TEST(WireMutation, Contract6ValidInputsAreAccepted) {
  for (std::size_t type = 0; type < case_count(); ++type) {
    for (std::size_t mode = 0; mode < 3; ++mode) {
      for (unsigned variation = 0; variation < 50; ++variation) {
        const Input input = valid_input(type, mode, variation);
        ASSERT_TRUE(read_input(input).accepted) << "type " << type << " mode " << mode << " variation " << variation;
      }
    }
  }
}

TEST(WireMutation, Contract6NoDamageDoesMoreThanAWireError) {
  const std::uint64_t seed = from_environment("SLIPWAY_SEED", 1);
  const std::uint64_t count = from_environment("SLIPWAY_MUTATIONS", 200000);
  std::uint64_t accepted = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    Random random(seed * 1000003 + i);
    Input input = any_valid_input(random);
    for (std::size_t changes = 1 + random() % 3; changes > 0; --changes) mutate_once(input, random);
    if (random() % 16 == 0 && input.size() > 1) input[1] = std::byte{3};
    largest_allocation.store(0);
    try {
      const Outcome outcome = read_input(input);
      accepted += outcome.accepted ? 1 : 0;
      const std::size_t allowed = 65536 + 256 * input.size() + 2 * outcome.announced;
      ASSERT_LE(largest_allocation.load(), allowed)
          << "seed " << seed << " mutation " << i << " " << hexadecimal(input);
    } catch (const std::exception& error) {
      FAIL() << error.what() << ": seed " << seed << " mutation " << i << " " << hexadecimal(input);
    }
  }
  RecordProperty("accepted", std::to_string(accepted));
  EXPECT_GT(accepted, count / 100);  // the damage is fine enough to reach deep
  EXPECT_LT(accepted, count);
}

TEST(WireMutation, Contract6NoiseDoesNoMoreEither) {
  const std::uint64_t count = from_environment("SLIPWAY_MUTATIONS", 200000) / 4;
  Random random(from_environment("SLIPWAY_SEED", 1));
  for (std::uint64_t i = 0; i < count; ++i) {
    Input input(random() % 64);
    for (auto& byte : input) byte = static_cast<std::byte>(random() >> (random() % 8));
    ASSERT_NO_THROW(read_input(input)) << hexadecimal(input);
  }
}

}  // namespace
}  // namespace slipway::fuzz
