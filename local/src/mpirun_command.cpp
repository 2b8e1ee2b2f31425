// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cstdlib>
#include <sstream>
#include <utility>

#include "slipway/base/error.hpp"
#include "slipway/local/child_process.hpp"
#include "slipway/local/mpirun_launcher.hpp"

#ifndef SLIPWAY_MPIEXEC
#define SLIPWAY_MPIEXEC ""
#endif

namespace slipway {

namespace fs = std::filesystem;

namespace {

bool can_run(const fs::path& file) {
  std::error_code error;
  return fs::is_regular_file(file, error) && ::access(file.c_str(), X_OK) == 0;
}

std::optional<fs::path> find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return can_run(name) ? std::optional<fs::path>(name) : std::nullopt;
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path file = fs::path(folder.empty() ? "." : folder) / name;
    if (can_run(file)) return file;
  }
  return std::nullopt;
}

// The first "digits.digits…" behind the mark.
std::string version_behind(std::string_view text, std::string_view mark) {
  auto at = text.find(mark);
  if (at == std::string_view::npos) return {};
  at = text.find_first_of("0123456789", at + mark.size());
  if (at == std::string_view::npos) return {};
  const auto end = text.find_first_not_of("0123456789.", at);
  return std::string(text.substr(at, end - at));
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream input(text);
  std::vector<std::string> words;
  for (std::string word; input >> word;) words.push_back(word);
  return words;
}

bool is_on(const char* variable) {
  const char* value = std::getenv(variable);
  return value && *value && std::string_view(value) != "0";
}

// Open MPI wants two variables, so that nobody sets them by accident; version 5 wants those of its launcher as well.
bool root_is_allowed(const Mpirun& mpirun) {
  const bool by_mpi = is_on("OMPI_ALLOW_RUN_AS_ROOT") && is_on("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM");
  const bool by_launcher = is_on("PRTE_ALLOW_RUN_AS_ROOT") && is_on("PRTE_ALLOW_RUN_AS_ROOT_CONFIRM");
  return by_mpi && (mpirun.major < 5 || by_launcher);
}

}  // namespace

Mpirun recognise_mpirun(fs::path path, std::string_view version_text) {
  Mpirun mpirun{.path = std::move(path)};
  if (version_text.find("Open MPI") != std::string_view::npos ||
      version_text.find("OpenRTE") != std::string_view::npos || version_text.find("PRRTE") != std::string_view::npos) {
    mpirun.flavour = MpirunFlavour::open_mpi;
    mpirun.version = version_behind(version_text, ")");
  } else if (version_text.find("HYDRA") != std::string_view::npos ||
             version_text.find("Intel") != std::string_view::npos) {
    mpirun.flavour = MpirunFlavour::hydra;
    mpirun.version = version_behind(version_text, "Version");
  }
  mpirun.major = std::atoi(mpirun.version.c_str());
  return mpirun;
}

std::optional<Mpirun> find_mpirun(const std::string& named) {
  std::vector<std::string> candidates{named};
  if (named.empty()) candidates = {SLIPWAY_MPIEXEC, "mpirun", "mpiexec"};
  for (const auto& candidate : candidates) {
    if (candidate.empty()) continue;
    const auto path = find_program(candidate);
    if (!path) continue;
    const auto version = detail::capture({.command = {path->string(), "--version"}, .more_environment = {}});
    if (version) return recognise_mpirun(*path, version->output + version->errors);
  }
  if (named.empty()) return std::nullopt;
  throw UsageError("cannot run " + named + " (there is no such program) correct --slipway-mpirun, or leave it away");
}

std::vector<std::string> mpirun_command(const Mpirun& mpirun, const MpirunRequest& request) {
  const std::string ranks = std::to_string(request.ranks);
  std::vector<std::string> words{mpirun.path.string()};
  const auto add = [&](const std::vector<std::string>& more) { words.insert(words.end(), more.begin(), more.end()); };
  if (mpirun.flavour == MpirunFlavour::open_mpi) {
    // As many slots as ranks, instead of --oversubscribe, which makes Open MPI 5 yield in every empty poll.
    add({"--bind-to", "none", "--host", "localhost:" + ranks});
    add(mpirun.major >= 5 ? std::vector<std::string>{"--with-ft", "ulfm"}
                          : std::vector<std::string>{"--enable-recovery"});
  }
  add({"-n", ranks});
  add(words_of(request.mpirun_args));
  add(request.command);
  return words;
}

std::string mpirun_refusal(const Mpirun& mpirun, const MpirunRequest& request) {
  if (mpirun.flavour != MpirunFlavour::open_mpi || ::geteuid() != 0 || root_is_allowed(mpirun)) return {};
  for (const auto& word : words_of(request.mpirun_args)) {
    if (word == "--allow-run-as-root") return {};
  }
  const std::string more = mpirun.major >= 5 ? ", and the same with PRTE_ for OMPI_," : "";
  return "cannot start " + mpirun.path.string() +
         " as root (Open MPI refuses it, as a mistake could damage the machine) become another user, use "
         "--slipway-launcher=local, or, where root is all there is, set OMPI_ALLOW_RUN_AS_ROOT=1 and "
         "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1" +
         more;
}

}  // namespace slipway
