// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "slipway/slurm/job_spec.hpp"
#include "slipway/slurm/layout.hpp"
#include "slipway/slurm/machine_profile.hpp"

namespace slipway::tool {

// What the user says about a job, as texts; and how it becomes a JobSpec.
class JobOptions {
 public:
  // Adds the options, and PROGRAM [ARGUMENT]... at the end. `many`: the verb has an option of its own for numbers of
  // nodes, and makes no arrays.
  enum class Sizes : std::uint8_t { one, many };
  void add_to(Verb verb, Sizes sizes = Sizes::one);

  // After parsing: takes values from the environment and the user's file too. Throws UsageError.
  void complete();

  bool show_origin() const { return show_origin_; }
  std::string origins() const { return origins_; }
  const slurm::MachineProfile& machine() const { return machine_; }
  const std::vector<std::string>& command() const { return command_; }
  const std::string& run_base() const { return run_base_; }
  const std::map<std::string, std::string>& exports() const { return job_.environment; }
  std::chrono::seconds time() const { return job_.time; }
  bool has_parts() const { return !parts_.empty(); }
  std::optional<std::uint32_t> ranks_per_node() const { return wish_.ranks_per_node; }
  // The same options for so many nodes, and for a command that may differ with it.
  JobOptions at_size(std::uint32_t nodes, std::vector<std::string> command) const;
  std::string run_name() const;
  const std::string& array() const { return job_.array; }
  // How the numbers of nodes, ranks, cores and GPUs came about. Runs the program for its plan where they depend on it.
  slurm::Layout layout() const;
  // All but the run directory.
  slurm::JobSpec job(const slurm::Layout& layout) const;

 private:
  std::chrono::seconds notice_margin() const;
  static slurm::NodeSet parse_part(const std::string& text);
  slurm::Demand demand_on(std::optional<std::uint32_t> nodes) const;

  std::optional<Verb> verb_;
  slurm::MachineProfile machine_;
  std::vector<std::string> command_;
  std::string origins_;
  bool show_origin_ = false;
  std::string machine_name_;
  std::string name_;
  std::string run_base_ = "runs";
  slurm::LayoutWish wish_;
  std::string memory_;
  std::string time_;
  std::string margin_;
  std::string prologue_file_;
  std::string launcher_;
  std::vector<std::string> exports_;
  std::vector<std::string> parts_;
  bool exclusive_ = false;
  slurm::JobSpec job_;
};

}  // namespace slipway::tool
