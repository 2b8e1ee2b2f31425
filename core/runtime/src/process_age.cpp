// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "process_age.hpp"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <string>

#include "slipway/base/text.hpp"
#include "slipway/observe/run_directory.hpp"

namespace slipway::detail {

seam::Time process_age() {
  constexpr seam::Time second = 1'000'000'000;
  constexpr std::size_t field_of_start = 22 - 3;  // behind the name of the program, which may hold anything
  const std::string text = read_file("/proc/self/stat").value_or("");
  const std::size_t name_end = text.rfind(") ");
  if (name_end == std::string::npos) return 0;
  const auto fields = split(std::string_view(text).substr(name_end + 2), ' ');
  seam::Time ticks = 0;
  timespec since_boot{};
  if (fields.size() <= field_of_start || ::clock_gettime(CLOCK_BOOTTIME, &since_boot) != 0) return 0;
  const std::string_view digits = fields[field_of_start];
  if (std::from_chars(digits.data(), digits.data() + digits.size(), ticks).ec != std::errc()) return 0;
  const seam::Time now = since_boot.tv_sec * second + since_boot.tv_nsec;
  return std::max<seam::Time>(now - ticks * (second / ::sysconf(_SC_CLK_TCK)), 0);
}

}  // namespace slipway::detail
