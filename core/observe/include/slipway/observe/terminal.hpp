// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "slipway/base/seam.hpp"
#include "slipway/observe/log.hpp"
#include "slipway/observe/status.hpp"

// What a run shows on stderr while it runs: short messages, and one line of progress.
namespace slipway {

// One line: state, time since the start, workers, calls and reported work with their rates since `before`, which was so
// many nanoseconds ago.
std::string progress_text(const RunStatus& status, std::int64_t since_start, const RunProgress& before,
                          std::int64_t since_before);

// The stderr of the process. Thread-safe; each output is one write. On a terminal the progress line stays last and is
// redrawn in place; elsewhere each one is a line of its own. Bytes that move the cursor or colour go to terminals only,
// colour only while NO_COLOR is unset or empty.
class Terminal {
 public:
  struct Options {
    bool quiet = false;        // no progress and no infos: warnings and errors only
    bool is_terminal = false;  // redraw in place
    bool colour = false;
    std::uint32_t columns = 80;
    seam::Time progress_every = 0;  // nanoseconds; 0: 2 s on a terminal, 30 s elsewhere
  };

  // As stderr is: asks isatty, the window size, NO_COLOR, and SLIPWAY_TERMINAL=COLUMNS, by which a launcher tells the
  // ranks that what it forwards to is a terminal.
  static Options detect(bool quiet, std::int64_t progress_every);

  explicit Terminal(Options options, int descriptor = 2) : options_(options), descriptor_(descriptor) {}
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  // Takes an unfinished progress line away.
  ~Terminal();

  // "slipway: warning: text".
  void message(LogLevel level, std::string_view text);
  // Shows the progress if it is time for it; cheap otherwise. To be called every heartbeat.
  void progress(const RunStatus& status);
  // Removes the progress line, before the program or another process writes to the terminal.
  void clear();

 private:
  void write(std::string_view text);
  std::string erase() const;

  const Options options_;
  const int descriptor_;
  std::mutex mutex_;  // guards what follows
  std::string line_;  // the progress line on display
  seam::Time started_ = seam::now();
  seam::Time last_shown_ = started_;
  RunProgress last_{};
};

}  // namespace slipway
