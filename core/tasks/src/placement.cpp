// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "placement.hpp"

#include <algorithm>

#include "slipway/tasks/object.hpp"
#include "task_system_parts.hpp"

namespace slipway::detail {

namespace {

Input input_of(ObjectPart& object, RankId here) {
  ObjectPart& at = object.located();
  const RankId rank = at.state().done() || !at.is_borrowed() ? here : at.owner();
  if (object.source()) return {rank, object.elsewhere()->bytes};
  const std::size_t size = at.known_size();
  return {rank, size == ObjectPart::unknown_size ? 0 : size};
}

}  // namespace

void Bandwidth::note(std::uint64_t bytes, seam::Time time) {
  if (time <= 0) return;
  const double before = speed_.load(std::memory_order_relaxed);
  speed_.store(before + (static_cast<double>(bytes) / static_cast<double>(time) - before) / 8,
               std::memory_order_relaxed);
}

RankId choose_place(std::span<const Place> places, std::span<const Input> inputs, double bytes_per_nanosecond) {
  RankId best;
  double earliest = 0;
  for (const Place& place : places) {
    std::uint64_t lacks = 0;
    for (const Input& input : inputs) lacks += input.rank == place.rank ? 0 : input.bytes;
    const double start = static_cast<double>(place.wait) + static_cast<double>(lacks) / bytes_per_nanosecond;
    if (best && start >= earliest) continue;
    best = place.rank;
    earliest = start;
  }
  return best;
}

RankId best_place(TaskSystemParts& parts, const std::vector<ObjectPart*>& objects) {
  const RankId here = parts.endpoint().rank();
  std::vector<Input> inputs;
  std::vector<Place> places{{here, parts.shipping.wait_at(here)}};
  for (ObjectPart* const object : objects) {
    const Input& input = inputs.emplace_back(input_of(*object, here));
    const bool is_new =
        std::none_of(places.begin(), places.end(), [&](const Place& place) { return place.rank == input.rank; });
    if (is_new) places.push_back({input.rank, parts.shipping.wait_at(input.rank)});
  }
  return choose_place(places, inputs, parts.bandwidth.bytes_per_nanosecond());
}

}  // namespace slipway::detail
