// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

// Starting other programs: mpirun, and whatever tools ask.
namespace slipway::detail {

// A file descriptor that is closed with its owner.
class OwnedDescriptor {
 public:
  OwnedDescriptor() = default;
  explicit OwnedDescriptor(int value) : value_(value) {}
  OwnedDescriptor(OwnedDescriptor&& other) noexcept : value_(other.release()) {}
  OwnedDescriptor& operator=(OwnedDescriptor&& other) noexcept {
    reset(other.release());
    return *this;
  }
  ~OwnedDescriptor() { reset(); }

  int get() const { return value_; }
  int release();
  void reset(int value = -1);

 private:
  int value_ = -1;
};

struct Pipe {
  OwnedDescriptor read;
  OwnedDescriptor write;
};

// Both ends are closed on exec. Throws Error.
Pipe make_pipe();

struct ChildRequest {
  std::vector<std::string> command;             // command[0] is looked for in $PATH
  std::vector<std::string> more_environment;    // "NAME=value", instead of what is there under that name
  std::vector<std::string> less_environment{};  // names that it does not get
  bool own_process_group = false;               // the terminal's Ctrl-C does not reach it
  bool empty_input = false;
  int output = -1;                    // descriptor to use as stdout; -1: as here
  int error = -1;                     // the same for stderr
  int signal_at_death_of_parent = 0;  // 0: none
  std::chrono::milliseconds limit{};  // for `capture`: then it is killed; 0: none
};

// Starts the process. Throws Error with the reason when it cannot be started.
pid_t start_child(const ChildRequest& request);

struct Captured {
  int status = 0;  // 128 + signal where one ended it
  bool timed_out = false;
  std::string output;
  std::string errors;
};

// Runs the process to its end, with an empty stdin; output and error of the request are left aside. Nothing when it
// cannot be started.
std::optional<Captured> capture(ChildRequest request);

}  // namespace slipway::detail
