// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

// Everything that one run leaves behind (contract 17):
//   graph.json placement.json options.json versions.json   what ran
//   logs/rank-00003.log                                     one log a rank
//   logs/rank-00003.failure.json                            last words of a rank that died of a signal
//   status.json                                             how it stands, or ended
//   events/rank-00003.1.tasks                               what tasks did, in attempt 1
//   events/rank-00003.1.waits                               and what waits for them gave out
//   result/                                                 what it found
//   stop                                                    present once somebody asked the run to stop
//   save                                                    present from a request to save until that save begins
//   notice.2                                                present once attempt 2 was told that its end is near
namespace slipway {

// Puts the content in place as a whole: a reader sees the old file or the new one. Durable: it also survives a crash of
// the machine. Throws Error.
enum class Durability : std::uint8_t { process, machine };
void write_file_atomically(const std::filesystem::path& file, std::string_view content,
                           Durability durability = Durability::machine);

// The whole file; nothing when it cannot be read.
std::optional<std::string> read_file(const std::filesystem::path& file);

// Makes `base/NAME-YYYYmmdd-HHMMSS-xxxx` (time in UTC), where nothing is or will be; letters of the name that are no
// good in a path become '_'. Throws Error when base cannot be written.
std::filesystem::path make_dated_directory(const std::filesystem::path& base, std::string_view name);
// Points `latest`, beside the directory, to it. Never a reason to fail: two that are made together may both want it.
void point_latest_to(const std::filesystem::path& directory);

// Names the files of a run and writes them. A default one stands for "leave nothing": it has no path, and writes are
// dropped. Copies name the same directory. Thread-safe.
class RunDirectory {
 public:
  RunDirectory() = default;

  // A dated directory of its own, which `base/latest` then points to. Throws Error when base cannot be written.
  static RunDirectory create(const std::filesystem::path& base, std::string_view program);
  // The very directory; made if it is not there. See `claim`.
  static RunDirectory at(const std::filesystem::path& path);

  // Takes the directory for one attempt of one run; called by the controller before anything is written. Throws
  // UsageError when this attempt was taken before: a second run never mixes into it. What asked an attempt before to
  // stop or to save is taken away, and the last words of its ranks are.
  void claim(std::uint32_t attempt = 1) const;
  // Throws that UsageError now, and takes nothing.
  void require_free(std::uint32_t attempt = 1) const;

  explicit operator bool() const { return !path_.empty(); }
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path log_file(std::uint32_t rank) const;
  std::filesystem::path failure_file(std::uint32_t rank) const;
  // Only under our launcher: there from the end of the run until the rank's main has returned 0; holds another status.
  std::filesystem::path main_file(std::uint32_t rank) const;
  std::filesystem::path status_file() const;
  std::filesystem::path events() const;
  std::filesystem::path task_events_file(std::uint32_t rank, std::uint32_t attempt) const;
  std::filesystem::path wait_log_file(std::uint32_t rank, std::uint32_t attempt) const;
  std::filesystem::path result() const;

  // Throws Error.
  void write(std::string_view name, std::string_view content, Durability durability = Durability::machine) const;
  std::optional<std::string> read(std::string_view name) const;

  // Asks the run to stop, from any process that sees the directory; the controller looks every heartbeat or oftener.
  void request_stop(std::string_view reason) const;
  // The reason, once asked.
  std::optional<std::string> stop_requested() const;

  // Asks the run to save its state and go on, as above. Who serves it takes the request away.
  void request_save(std::string_view reason) const;
  std::optional<std::string> save_requested() const;
  void forget_save_request() const;

  // Tells an attempt that its end is near, from any process that sees the directory; looked for as above.
  void give_notice(std::uint32_t attempt, std::string_view reason) const;
  std::optional<std::string> notice_given(std::uint32_t attempt) const;

 private:
  explicit RunDirectory(std::filesystem::path path);
  std::optional<std::string> read_if_there(std::string_view name) const;

  std::filesystem::path path_;
};

}  // namespace slipway
