// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/runtime/gpus.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "slipway/base/error.hpp"
#include "slipway/base/text.hpp"
#include "slipway/graph/graph.hpp"

namespace slipway {

namespace {

std::vector<std::string> words_of(std::string_view list) {
  std::vector<std::string> words;
  for (const std::string_view part : split(list, ',')) {
    if (const auto word = trimmed(part); !word.empty()) words.emplace_back(word);
  }
  return words;
}

bool is_there(const std::filesystem::path& file) {
  std::error_code none;
  return std::filesystem::exists(file, none);
}

std::uint32_t number_in(std::string_view text) {
  std::uint32_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::uint32_t count_nvidia(const std::filesystem::path& dev) {
  std::uint32_t count = 0;
  while (is_there(dev / ("nvidia" + std::to_string(count)))) ++count;
  return count;
}

std::vector<std::string> numbers_below(std::uint32_t count) {
  std::vector<std::string> numbers;
  for (std::uint32_t number = 0; number < count; ++number) numbers.push_back(std::to_string(number));
  return numbers;
}

bool is_order_of(const std::vector<std::uint32_t>& order, std::size_t devices) {
  if (order.size() != devices) return false;
  std::vector<bool> seen(devices, false);
  for (const std::uint32_t device : order) {
    if (device >= devices || seen[device]) return false;
    seen[device] = true;
  }
  return true;
}

}  // namespace

VisibleGpus visible_gpus(const GetEnvironment& get, const std::filesystem::path& dev) {
  constexpr std::array variables{"CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES",
                                 "ZE_AFFINITY_MASK", "GPU_DEVICE_ORDINAL"};
  for (const char* const variable : variables) {
    const char* const list = get(variable);
    if (!list) continue;
    auto devices = words_of(list);
    if (devices == std::vector<std::string>{"NoDevFiles"}) devices.clear();
    const char* const on_node = get("SLURM_GPUS_ON_NODE");
    const bool dealt = get("SLURM_GPUS_PER_TASK") || (on_node && number_in(on_node) > devices.size());
    return {variable, std::move(devices), dealt};
  }
  const bool is_amd = is_there(dev / "kfd");
  const char* const granted = get("SLURM_GPUS_ON_NODE");
  VisibleGpus all{.variable = is_amd ? "ROCR_VISIBLE_DEVICES" : "CUDA_VISIBLE_DEVICES",
                  .devices = numbers_below(granted ? number_in(granted) : count_nvidia(dev))};
  return all.devices.empty() ? VisibleGpus{} : all;
}

double most_gpus_wanted(const Graph& graph) {
  double most = 0;
  for (const Node& node : graph.nodes()) most = std::max(most, node.resources.gpus);
  return most;
}

std::vector<std::uint32_t> parse_gpu_order(std::string_view text) {
  std::vector<std::uint32_t> order;
  for (const auto& word : words_of(text)) {
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc() || end != word.data() + word.size())
      order.push_back(~0U);
    else
      order.push_back(number);
  }
  if (!is_order_of(order, order.size())) {
    throw UsageError("'" + std::string(text) +
                     "' is no order of GPUs (it must have each number from 0 on once) write for example 3,2,1,0");
  }
  return order;
}

GpuShare gpus_of_rank(const VisibleGpus& visible, const HostShare& host, const std::vector<std::uint32_t>& order) {
  const auto count = static_cast<std::uint32_t>(visible.devices.size());
  GpuShare share;
  if (count == 0 || host.ranks == 0) return share;
  if (!host.same_list || visible.dealt) {
    share.devices = visible.devices;
    share.amount = count;
    return share;
  }
  const bool ordered = is_order_of(order, count);
  const auto device = [&](std::uint32_t place) { return visible.devices[ordered ? order[place] : place]; };
  if (host.wanted < 1 && count < host.ranks) {
    share.devices = {device(static_cast<std::uint32_t>(std::uint64_t{host.rank} * count / host.ranks))};
    share.amount = static_cast<double>(count) / host.ranks;
    share.shared = true;
    return share;
  }
  constexpr double most_devices = 4096;
  const auto block = static_cast<std::uint64_t>(std::min(std::ceil(host.wanted), most_devices));
  const bool even_share_is_too_small = block * host.ranks > count;
  const auto end_of = [&](std::uint64_t ranks) {
    return std::min<std::uint64_t>(even_share_is_too_small ? ranks * block : ranks * count / host.ranks, count);
  };
  for (std::uint64_t place = end_of(host.rank); place < end_of(host.rank + std::uint64_t{1}); ++place) {
    share.devices.push_back(device(static_cast<std::uint32_t>(place)));
  }
  share.amount = static_cast<double>(share.devices.size());
  return share;
}

}  // namespace slipway
