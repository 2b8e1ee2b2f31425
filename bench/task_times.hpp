// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <slipway/slipway.hpp>
#include <utility>
#include <vector>

#include "compute.hpp"

// Seconds from the first submission to the last outcome.
namespace bench {

inline int nothing(int value) { return value; }

inline std::vector<slipway::Ref<int>> submit_empty(int tasks) {
  std::vector<slipway::Ref<int>> refs;
  refs.reserve(static_cast<std::size_t>(tasks));
  for (int i = 0; i < tasks; ++i) refs.push_back(slipway::submit<&nothing>(i));
  return refs;
}

inline double seconds_of_empty_tasks(int tasks) {
  const auto start = Clock::now();
  slipway::get(submit_empty(tasks));
  return seconds_since(start);
}

inline double seconds_of_tasks(int tasks, std::uint64_t steps) {
  const auto start = Clock::now();
  std::vector<slipway::Ref<std::uint64_t>> refs;
  for (int i = 0; i < tasks; ++i) refs.push_back(slipway::submit<&compute>(steps + static_cast<std::uint64_t>(i)));
  slipway::get(std::move(refs));
  return seconds_since(start);
}

}  // namespace bench
