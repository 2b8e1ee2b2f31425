// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/observe/run_directory.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <random>
#include <utility>

#include "slipway/base/error.hpp"
#include "slipway/observe/wall_clock.hpp"

namespace slipway {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view stop_name = "stop";
constexpr std::string_view save_name = "save";
constexpr std::string_view latest_name = "latest";

[[noreturn]] void fail(const std::string& what, const fs::path& path, int error, const std::string& advice) {
  throw Error(what + " " + path.string() + " (" + std::strerror(error) + ") " + advice);
}

class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  int value() const { return value_; }

 private:
  int value_;
};

// Returns 0 or the error number.
int write_whole(const fs::path& file, std::string_view content, Durability durability) {
  const Descriptor descriptor(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (descriptor.value() < 0) return errno;
  while (!content.empty()) {
    const ssize_t written = ::write(descriptor.value(), content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return written < 0 ? errno : ENOSPC;
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  if (durability == Durability::machine && ::fsync(descriptor.value()) != 0) return errno;
  return 0;
}

// A rename survives a crash of the machine only once its directory has been written too.
void sync_directory(const fs::path& directory) {
  const Descriptor descriptor(::open(directory.empty() ? "." : directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptor.value() >= 0) ::fsync(descriptor.value());
}

std::string rank_name(std::uint32_t rank, const char* ending) {
  char name[48];
  const int length = std::snprintf(name, sizeof name, "rank-%05u%s", rank, ending);
  return {name, static_cast<std::size_t>(length)};
}

std::string file_word(std::string_view program) {
  std::string word;
  for (const char letter : program) {
    const bool plain = std::isalnum(static_cast<unsigned char>(letter)) || letter == '_' || letter == '-';
    word.push_back(plain ? letter : '_');
  }
  return word.empty() ? "program" : word;
}

std::string random_word() {
  std::random_device device;
  char word[8];
  std::snprintf(word, sizeof word, "%04x", device() & 0xffffu);
  return word;
}

void make_directories(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) fail("cannot make the directory", path, error.value(), "choose a writable place with --slipway-run-base");
}

fs::path mark_of(const fs::path& run, std::uint32_t attempt) { return run / (".attempt-" + std::to_string(attempt)); }

std::string notice_name(std::uint32_t attempt) { return "notice." + std::to_string(attempt); }

// What an attempt before was asked, and what ended it, must not be taken for requests to this one, and its end.
void forget_other_attempts(const fs::path& run) {
  ::unlink((run / stop_name).c_str());
  ::unlink((run / save_name).c_str());
  std::error_code absent;
  for (const auto& entry : fs::directory_iterator(run / "logs", absent)) {
    const std::string name = entry.path().filename();
    if (name.ends_with(".failure.json") || name.ends_with(".main")) ::unlink(entry.path().c_str());
  }
}

[[noreturn]] void refuse_taken(const fs::path& run) {
  throw UsageError(
      "the run directory " + run.string() +
      " is taken (it holds a run already, and two never mix) leave --slipway-run-directory away, or name a "
      "new directory");
}

}  // namespace

void write_file_atomically(const fs::path& file, std::string_view content, Durability durability) {
  static std::atomic<std::uint64_t> counter{0};
  fs::path temporary = file;
  temporary += ".tmp-" + std::to_string(::getpid()) + "-" + std::to_string(counter.fetch_add(1));
  int error = write_whole(temporary, content, durability);
  if (error == 0 && std::rename(temporary.c_str(), file.c_str()) != 0) error = errno;
  if (error != 0) {
    ::unlink(temporary.c_str());
    fail("cannot write", file, error, "free some space, or choose another place with --slipway-run-base");
  }
  if (durability == Durability::machine) sync_directory(file.parent_path());
}

std::optional<std::string> read_file(const fs::path& file) {
  std::ifstream input(file, std::ios::binary);
  if (!input) return std::nullopt;
  std::string text;
  std::array<char, 16 * 1024> part;
  do {
    input.read(part.data(), part.size());  // an error makes it bad; iterators would throw
    text.append(part.data(), static_cast<std::size_t>(input.gcount()));
  } while (input);
  if (input.bad()) return std::nullopt;
  return text;
}

fs::path make_dated_directory(const fs::path& base, std::string_view name) {
  make_directories(base);
  const std::string stem = file_word(name) + "-" + format_compact_time(wall_now()) + "-";
  constexpr int attempts = 1000;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    const fs::path path = fs::absolute(base) / (stem + random_word());
    // mkdir fails where the directory exists: of two that pick the same name, one goes on to the next.
    if (::mkdir(path.c_str(), 0777) == 0) return path;
    if (errno != EEXIST) fail("cannot make the directory", path, errno, "choose a writable place");
  }
  fail("cannot make the directory", base / stem, EEXIST, "choose another place");
}

void point_latest_to(const fs::path& directory) {
  const fs::path temporary = directory.parent_path() / ("." + directory.filename().string());
  std::error_code error;
  fs::create_directory_symlink(directory.filename(), temporary, error);
  if (!error) fs::rename(temporary, directory.parent_path() / latest_name, error);
  if (error) fs::remove(temporary, error);
}

RunDirectory::RunDirectory(fs::path path) : path_(std::move(path)) {
  make_directories(path_ / "logs");
  make_directories(events());
}

RunDirectory RunDirectory::create(const fs::path& base, std::string_view program) {
  RunDirectory made(make_dated_directory(base, program));
  point_latest_to(made.path());
  return made;
}

RunDirectory RunDirectory::at(const fs::path& path) { return RunDirectory(fs::absolute(path)); }

void RunDirectory::claim(std::uint32_t attempt) const {
  if (path_.empty()) return;
  const fs::path mark = mark_of(path_, attempt);
  const Descriptor descriptor(::open(mark.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (descriptor.value() >= 0) {
    if (attempt > 1) forget_other_attempts(path_);
    return;
  }
  if (errno != EEXIST) fail("cannot write into the run directory", path_, errno, "choose a writable place");
  refuse_taken(path_);
}

void RunDirectory::require_free(std::uint32_t attempt) const {
  if (!path_.empty() && fs::exists(mark_of(path_, attempt))) refuse_taken(path_);
}

fs::path RunDirectory::log_file(std::uint32_t rank) const { return path_ / "logs" / rank_name(rank, ".log"); }
fs::path RunDirectory::failure_file(std::uint32_t rank) const {
  return path_ / "logs" / rank_name(rank, ".failure.json");
}
fs::path RunDirectory::main_file(std::uint32_t rank) const { return path_ / "logs" / rank_name(rank, ".main"); }
fs::path RunDirectory::status_file() const { return path_ / "status.json"; }
fs::path RunDirectory::events() const { return path_ / "events"; }
fs::path RunDirectory::task_events_file(std::uint32_t rank, std::uint32_t attempt) const {
  return events() / rank_name(rank, ("." + std::to_string(attempt) + ".tasks").c_str());
}
fs::path RunDirectory::wait_log_file(std::uint32_t rank, std::uint32_t attempt) const {
  return events() / rank_name(rank, ("." + std::to_string(attempt) + ".waits").c_str());
}
fs::path RunDirectory::result() const { return path_ / "result"; }

void RunDirectory::write(std::string_view name, std::string_view content, Durability durability) const {
  if (!path_.empty()) write_file_atomically(path_ / name, content, durability);
}

std::optional<std::string> RunDirectory::read(std::string_view name) const {
  if (path_.empty()) return std::nullopt;
  return read_file(path_ / name);
}

void RunDirectory::request_stop(std::string_view reason) const { write(stop_name, reason, Durability::process); }

std::optional<std::string> RunDirectory::stop_requested() const { return read_if_there(stop_name); }

void RunDirectory::request_save(std::string_view reason) const { write(save_name, reason, Durability::process); }

std::optional<std::string> RunDirectory::save_requested() const { return read_if_there(save_name); }

void RunDirectory::forget_save_request() const {
  if (!path_.empty()) ::unlink((path_ / save_name).c_str());
}

void RunDirectory::give_notice(std::uint32_t attempt, std::string_view reason) const {
  write(notice_name(attempt), reason, Durability::process);
}

std::optional<std::string> RunDirectory::notice_given(std::uint32_t attempt) const {
  return read_if_there(notice_name(attempt));
}

// The usual answer is no, and is asked for often: one system call.
std::optional<std::string> RunDirectory::read_if_there(std::string_view name) const {
  if (path_.empty() || ::access((path_ / name).c_str(), F_OK) != 0) return std::nullopt;
  return read(name).value_or("");
}

}  // namespace slipway
