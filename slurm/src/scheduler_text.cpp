// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/slurm/scheduler_text.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "slipway/base/text.hpp"

namespace slipway::slurm {

namespace {

bool is_digit(char letter) { return std::isdigit(static_cast<unsigned char>(letter)) != 0; }

// "17", "17;cluster", "17_3"
std::optional<JobId> bare_id(std::string_view line) {
  const std::size_t semicolon = line.find(';');
  const std::string_view id = line.substr(0, semicolon);
  const bool plausible = !id.empty() && is_digit(id.front()) && std::all_of(id.begin(), id.end(), [](char letter) {
    return is_digit(letter) || letter == '_';
  });
  if (!plausible) return std::nullopt;
  if (semicolon == std::string_view::npos) return JobId{std::string(id), {}};
  return JobId{std::string(id), std::string(line.substr(semicolon + 1))};
}

// "Submitted batch job 17", "Submitted batch job 17 on cluster blue"
std::optional<JobId> sentence_id(std::string_view line) {
  constexpr std::string_view mark = "Submitted batch job ";
  const std::size_t at = line.find(mark);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = line.substr(at + mark.size());
  const std::size_t end = std::min(rest.find(' '), rest.size());
  auto id = bare_id(rest.substr(0, end));
  constexpr std::string_view cluster_mark = " on cluster ";
  if (const std::size_t cluster = rest.find(cluster_mark); id && cluster != std::string_view::npos) {
    id->cluster = trimmed(rest.substr(cluster + cluster_mark.size()));
  }
  return id;
}

struct Word {
  std::string_view name;
  std::string_view code;  // squeue's short form
  Verdict verdict;
};

constexpr std::array words{
    Word{"PENDING", "PD", Verdict::waiting},       Word{"CONFIGURING", "CF", Verdict::waiting},
    Word{"REQUEUED", "RQ", Verdict::waiting},      Word{"REQUEUE_HOLD", "RH", Verdict::waiting},
    Word{"REQUEUE_FED", "RF", Verdict::waiting},   Word{"SPECIAL_EXIT", "SE", Verdict::waiting},
    Word{"RESV_DEL_HOLD", "RD", Verdict::waiting}, Word{"RUNNING", "R", Verdict::running},
    Word{"COMPLETING", "CG", Verdict::running},    Word{"SUSPENDED", "S", Verdict::running},
    Word{"STOPPED", "ST", Verdict::running},       Word{"SIGNALING", "SI", Verdict::running},
    Word{"STAGE_OUT", "SO", Verdict::running},     Word{"RESIZING", "RS", Verdict::running},
    Word{"COMPLETED", "CD", Verdict::good},        Word{"FAILED", "F", Verdict::failed},
    Word{"BOOT_FAIL", "BF", Verdict::node_failed}, Word{"NODE_FAIL", "NF", Verdict::node_failed},
    Word{"CANCELLED", "CA", Verdict::cancelled},   Word{"REVOKED", "RV", Verdict::cancelled},
    Word{"TIMEOUT", "TO", Verdict::timed_out},     Word{"DEADLINE", "DL", Verdict::timed_out},
    Word{"PREEMPTED", "PR", Verdict::preempted},   Word{"OUT_OF_MEMORY", "OOM", Verdict::out_of_memory},
};

bool begins_field(std::string_view text, std::size_t at) {
  if (at > 0 && text[at - 1] != ' ') return false;
  std::size_t end = at;
  while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == ':' ||
                               text[end] == '/' || text[end] == '_')) {
    ++end;
  }
  return end > at && end < text.size() && text[end] == '=' && std::isupper(static_cast<unsigned char>(text[at]));
}

}  // namespace

std::optional<JobId> parse_job_id(std::string_view output) {
  std::optional<JobId> found;
  for (const std::string_view each : split(output, '\n')) {
    const std::string_view line = trimmed(each);
    if (auto id = sentence_id(line)) return id;
    if (auto id = bare_id(line)) found = std::move(id);  // a banner may have lines of digits: the last one counts
  }
  return found;
}

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::waiting:
      return "waiting";
    case Verdict::running:
      return "running";
    case Verdict::good:
      return "good";
    case Verdict::failed:
      return "failed";
    case Verdict::cancelled:
      return "cancelled";
    case Verdict::timed_out:
      return "timed out";
    case Verdict::preempted:
      return "preempted";
    case Verdict::node_failed:
      return "node failed";
    case Verdict::out_of_memory:
      return "out of memory";
    case Verdict::unknown:
      break;
  }
  return "unknown";
}

Verdict verdict_of(std::string_view state) {
  state = trimmed(state);
  state = state.substr(0, state.find_first_of(" +"));  // "CANCELLED by 1000", "CANCELLED+" where a column was narrow
  for (const auto& word : words) {
    if (state == word.name || state == word.code) return word.verdict;
  }
  return Verdict::unknown;
}

bool is_over(Verdict verdict) {
  return verdict != Verdict::unknown && verdict != Verdict::waiting && verdict != Verdict::running;
}

bool tells_more(Verdict left, Verdict right) {
  using enum Verdict;
  constexpr std::array most_first{running,   waiting, node_failed, out_of_memory, timed_out,
                                  preempted, failed,  unknown,     cancelled,     good};
  return std::find(most_first.begin(), most_first.end(), left) < std::find(most_first.begin(), most_first.end(), right);
}

std::map<std::string, std::string> parse_scontrol_job(std::string_view line) {
  std::map<std::string, std::string> fields;
  line = trimmed(line.substr(0, line.find('\n')));
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t equals = line.find('=', at);
    if (equals == std::string_view::npos) break;
    std::size_t end = equals + 1;
    while (end < line.size() && !begins_field(line, end)) ++end;
    fields.emplace(line.substr(at, equals - at), trimmed(line.substr(equals + 1, end - equals - 1)));
    at = end;
  }
  return fields;
}

}  // namespace slipway::slurm
