// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <exception>
#include <iostream>
#include <string>

#include "slipway/slurm/host_list.hpp"

// Each line of stdin is a host list: prints its names, joined by commas, and how they are compressed again.
int main() {
  for (std::string list; std::getline(std::cin, list);) {
    try {
      const auto names = slipway::slurm::expand_host_list(list);
      std::string joined;
      for (const auto& name : names) joined.append(joined.empty() ? "" : ",").append(name);
      std::cout << joined << '\t' << slipway::slurm::compress_host_list(names) << '\n';
    } catch (const std::exception& error) {
      std::cout << "error\t" << error.what() << '\n';
    }
  }
}
