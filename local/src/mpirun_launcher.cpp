// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/local/mpirun_launcher.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "noise_filter.hpp"
#include "rank_processes.hpp"
#include "run_outcome.hpp"
#include "session_directory.hpp"
#include "signal_pipe.hpp"
#include "slipway/base/error.hpp"
#include "slipway/base/text.hpp"
#include "slipway/local/child_process.hpp"
#include "slipway/observe/run_directory.hpp"
#include "slipway/observe/status.hpp"

namespace slipway {

namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr auto never = Clock::time_point::max();

constexpr auto look_every = 200ms;
// The run itself ends within 5 s of a failure (contract 9). These are the net below that, for what it cannot do: ranks
// that hang in MPI's initialisation because another died before, or in its end.
constexpr auto time_to_end_after_failure = 3s;
constexpr auto time_to_answer_a_stop = 5s;
constexpr auto time_for_mpirun_to_end = 700ms;

class MpirunRun {
 public:
  MpirunRun(const Mpirun& mpirun, const MpirunRequest& request)
      : request_(request),
        run_directory_(RunDirectory::at(request.run_directory)),
        signals_({SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGCHLD}),
        error_(detail::make_pipe()),
        session_(mpirun),
        command_(mpirun_command(mpirun, request)) {}

  int run() {
    if (!request_.quiet) say("runs " + shell_line(command_));
    start();
    detail::RankProcesses ranks(mpirun_, request_.ranks, run_directory_.path().string());
    ranks_ = &ranks;
    while (!ended()) {
      wait_for_something();
      for (const int signal : signals_.take()) on_signal(signal);
      if (Clock::now() >= next_look_) look();
    }
    drain_error_output();
    end_leftovers();
    return conclude();
  }

 private:
  void start() {
    std::vector<std::string> environment = session_.environment();
    environment.insert(environment.end(),
                       {"SLIPWAY_LAUNCHED=1", "SLIPWAY_RUN_DIRECTORY=" + run_directory_.path().string()});
    winsize window{};
    if (::isatty(2) && ::ioctl(2, TIOCGWINSZ, &window) == 0 && window.ws_col > 0) {
      environment.push_back("SLIPWAY_TERMINAL=" + std::to_string(window.ws_col));
    }
    // In a group of its own, mpirun does not get the terminal's Ctrl-C, at which it would kill the ranks; but then it
    // may not read the terminal either.
    mpirun_ = detail::start_child({.command = command_,
                                   .more_environment = environment,
                                   .own_process_group = true,
                                   .empty_input = ::isatty(0) != 0,
                                   .error = error_.write.get(),
                                   .signal_at_death_of_parent = SIGTERM});
    error_.write.reset();
    ::fcntl(error_.read.get(), F_SETFL, O_NONBLOCK);
    next_look_ = Clock::now() + look_every;
  }

  bool ended() {
    pid_t result = 0;
    while ((result = ::waitpid(mpirun_, &wait_status_, WNOHANG)) < 0 && errno == EINTR) {
    }
    return result != 0;
  }

  void wait_for_something() {
    std::array<pollfd, 2> sources{pollfd{signals_.descriptor(), POLLIN, 0},
                                  pollfd{error_closed_ ? -1 : error_.read.get(), POLLIN, 0}};
    ::poll(sources.data(), sources.size(), static_cast<int>(look_every / 1ms));
    drain_error_output();
  }

  void drain_error_output() {
    std::array<char, 16384> part{};
    while (!error_closed_) {
      const ssize_t size = ::read(error_.read.get(), part.data(), part.size());
      if (size > 0) {
        show(filter_.take({part.data(), static_cast<std::size_t>(size)}));
      } else if (size < 0 && errno == EINTR) {
        continue;
      } else if (size < 0 && errno == EAGAIN) {
        return;
      } else {
        error_closed_ = true;
      }
    }
  }

  void on_signal(int signal) {
    if (signal == SIGCHLD) return;
    if (signal == SIGUSR1 || signal == SIGUSR2) {
      ranks_->look();
      ranks_->signal_all(signal);  // not every mpirun would hand it on
    } else if (stop_asked_ == never && read_status(run_directory_.path())) {
      stop_asked_ = Clock::now();
      run_directory_.request_stop(signal == SIGINT ? "Ctrl-C" : signal == SIGTERM ? "SIGTERM" : "SIGHUP");
      if (!request_.quiet) say(signal == SIGINT ? "stopping; Ctrl-C again ends it at once" : "stopping");
    } else {
      end_now("stopped at once, on request");
    }
  }

  // Nobody but this process can act when ranks hang without each other, or do not hear.
  void look() {
    const auto now = Clock::now();
    next_look_ = now + look_every;
    ranks_->look();
    if (end_asked_ != never) {
      if (now - end_asked_ > time_for_mpirun_to_end) kill_all();
      return;
    }
    read_status_if_new();
    if (ranks_->some_gone() && loss_seen_ == never) loss_seen_ = now;
    // Before there is a controller, a rank can only leave its last words; and it may die unseen between two looks.
    const bool failed =
        status_ ? status_->first_failure.has_value() : read_first_last_words(run_directory_.path()).has_value();
    if (failed && failure_seen_ == never) failure_seen_ = now;
    if (loss_seen_ != never && now - loss_seen_ > patience_after_loss()) {
      end_now("a rank ended without a word, and the others did not");
    }
    if (failure_seen_ != never && now - failure_seen_ > time_to_end_after_failure) {
      end_now("ranks did not end after the first failure");
    }
    const bool heard = status_ && status_->state >= RunState::stopping;
    if (stop_asked_ != never && !heard && now - stop_asked_ > time_to_answer_a_stop) {
      end_now("the run did not answer the request to stop");
    }
  }

  void read_status_if_new() {
    std::error_code error;
    const auto time = std::filesystem::last_write_time(run_directory_.status_file(), error);
    if (error || (status_ && time == status_time_)) return;
    status_time_ = time;
    status_ = read_status(run_directory_.path());
  }

  // A rank may end before the others in a run that ends well, and main may go on after launch.
  Clock::duration patience_after_loss() const {
    if (!status_ || status_->state < RunState::stopping) return time_to_end_after_failure;
    if (status_->state == RunState::stopping) {
      constexpr int steps_of_a_stop = 4;
      return std::chrono::duration_cast<Clock::duration>(request_.stop_limit) * steps_of_a_stop +
             time_to_end_after_failure;
    }
    return status_->exit_status == ExitStatus::good ? Clock::duration::max()
                                                    : Clock::duration(time_to_end_after_failure);
  }

  void end_now(const std::string& reason) {
    if (end_asked_ != never) {
      kill_all();
      return;
    }
    end_asked_ = Clock::now();
    end_reason_ = reason;
    ranks_->look();
    ::kill(mpirun_, SIGTERM);
  }

  void kill_all() {
    ranks_->look();
    ranks_->signal_all(SIGKILL);
    ::kill(mpirun_, SIGKILL);
  }

  void end_leftovers() {
    constexpr int looks = 20;
    for (int i = 0; i < looks && ranks_->signal_all(0); ++i) ::usleep(50'000);
    ranks_->signal_all(SIGKILL);
    ranks_->remove_litter();
  }

  int conclude() {
    show(filter_.finish());
    const auto outcome = detail::conclude(run_directory_, wait_status_, loss_seen_ != never, end_reason_);
    if (!outcome.message.empty()) {
      show(filter_.held_back());
      show("slipway: error: " + outcome.message + "\n");
    }
    return static_cast<int>(outcome.status);
  }

  static void say(const std::string& text) { show("slipway: " + text + "\n"); }

  static void show(std::string_view text) {
    while (!text.empty()) {
      const ssize_t written = ::write(2, text.data(), text.size());
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) return;
      text.remove_prefix(static_cast<std::size_t>(written));
    }
  }

  const MpirunRequest& request_;
  const RunDirectory run_directory_;
  detail::SignalPipe signals_;
  detail::Pipe error_;
  const detail::SessionDirectory session_;
  const std::vector<std::string> command_;
  detail::NoiseFilter filter_;
  detail::RankProcesses* ranks_ = nullptr;
  pid_t mpirun_ = 0;
  int wait_status_ = 0;
  bool error_closed_ = false;
  Clock::time_point next_look_;
  Clock::time_point stop_asked_ = never;
  Clock::time_point end_asked_ = never;
  Clock::time_point loss_seen_ = never;
  Clock::time_point failure_seen_ = never;
  std::optional<RunStatus> status_;
  std::filesystem::file_time_type status_time_;
  std::string end_reason_;
};

Mpirun require_mpirun(const MpirunRequest& request) {
  const auto mpirun = find_mpirun(request.mpirun);
  if (!mpirun) {
    throw UsageError(
        "cannot start ranks (there is no mpirun or mpiexec in $PATH) install an MPI, name it by --slipway-mpirun=PATH, "
        "or use --slipway-launcher=local");
  }
  if (const auto refusal = mpirun_refusal(*mpirun, request); !refusal.empty()) throw UsageError(refusal);
  return *mpirun;
}

}  // namespace

int run_under_mpirun(const MpirunRequest& request) { return MpirunRun(require_mpirun(request), request).run(); }

}  // namespace slipway
