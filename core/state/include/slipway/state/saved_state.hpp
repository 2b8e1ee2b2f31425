// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// What nodes have saved of themselves, for an attempt after this one: RUN/state/NUMBER has a file a node, and
// manifest.json, which is written last. Without a manifest, or with a file that does not fit it, a state is not there.
// Contract 16.
namespace slipway {

// One node's part, as the manifest lists it.
struct SavedPart {
  std::string node{};  // label
  std::uint64_t bytes = 0;
  std::uint64_t digest = 0;
};

class SavedState {
 public:
  static constexpr std::uint32_t schema = 1;  // of the manifest; one with another is left aside

  SavedState() = default;  // names nothing
  // To be written. 0 names nothing.
  SavedState(const std::filesystem::path& run_directory, std::uint32_t number);
  // To be read: its manifest is read here, once for all nodes. 0 names nothing. Throws Error when it is not complete.
  static SavedState open(const std::filesystem::path& run_directory, std::uint32_t number);

  // One more than the number of any state that was begun.
  static std::uint32_t next_number(const std::filesystem::path& run_directory);
  // The newest that is complete; 0: none is. Says in one sentence why a newer one is left aside.
  static std::uint32_t newest_complete(const std::filesystem::path& run_directory,
                                       const std::function<void(const std::string&)>& notice);

  explicit operator bool() const { return !directory_.empty(); }
  const std::filesystem::path& directory() const { return directory_; }

  // Any rank, each its own nodes. Throws Error.
  SavedPart write(std::string_view node, std::string_view bytes) const;
  // Once all parts are written. Takes away what is older than the state before this one.
  void complete(const std::vector<SavedPart>& parts) const;
  // Of one that was opened: nothing when the node saved nothing. Throws Error when the file is damaged.
  std::optional<std::string> read(std::string_view node) const;
  // Of one that was opened: who saved something.
  std::vector<std::string> nodes() const;

 private:
  std::filesystem::path directory_;
  std::map<std::string, SavedPart, std::less<>> parts_{};  // by node; of one that was opened
};

}  // namespace slipway
