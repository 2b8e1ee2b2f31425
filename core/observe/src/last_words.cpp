// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/observe/last_words.hpp"

#include <cxxabi.h>
#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <typeinfo>

#include "core_copy.hpp"
#include "signal_safe_text.hpp"

namespace slipway::last_words {

namespace {

using detail::SignalSafeText;

#if defined(__SANITIZE_ADDRESS__)
constexpr bool address_sanitizer = true;
#elif defined(__has_feature)
constexpr bool address_sanitizer = __has_feature(address_sanitizer);
#else
constexpr bool address_sanitizer = false;
#endif

struct FatalSignal {
  int number;
  const char* name;
  const char* meaning;
};

constexpr std::array fatal_signals{
    FatalSignal{SIGSEGV, "SIGSEGV", "segmentation fault"}, FatalSignal{SIGBUS, "SIGBUS", "bus error"},
    FatalSignal{SIGFPE, "SIGFPE", "arithmetic error"}, FatalSignal{SIGILL, "SIGILL", "illegal instruction"},
    FatalSignal{SIGABRT, "SIGABRT", "abort() was called"}};

// Shared with signal handlers, hence lock-free and without destructors.
std::atomic<Hook> hook_of_process{nullptr};
std::atomic<bool> run_in_progress{false};
std::atomic<pid_t> dying_thread{0};
std::array<struct sigaction, fatal_signals.size()> actions_before;

void write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

// gmtime_r is not async-signal-safe. Days to date after Howard Hinnant's civil_from_days.
void add_time(SignalSafeText& text) {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  const auto seconds = static_cast<std::uint64_t>(now.tv_sec);
  const std::uint64_t days = seconds / 86400 + 719468;
  const std::uint64_t era = days / 146097;
  const std::uint64_t day_of_era = days % 146097;
  const std::uint64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const std::uint64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::uint64_t month_from_march = (5 * day_of_year + 2) / 153;
  const std::uint64_t day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
  const std::uint64_t month = month_from_march < 10 ? month_from_march + 3 : month_from_march - 9;
  const std::uint64_t year = year_of_era + era * 400 + (month <= 2 ? 1 : 0);
  const auto two = [&](std::uint64_t number) { text.add(number < 10 ? "0" : "").add(number); };
  text.add(year).add("-"), two(month), text.add("-"), two(day), text.add("T");
  two(seconds / 3600 % 24), text.add(":"), two(seconds / 60 % 60), text.add(":"), two(seconds % 60), text.add(".");
  const auto microseconds = static_cast<std::uint64_t>(now.tv_nsec) / 1000;
  for (std::uint64_t power = 100000; power > 0; power /= 10) text.add(microseconds / power % 10);
  text.add("Z");
}

const char* or_dash(const char* text) { return text && *text ? text : "-"; }

// The same columns as Log's lines.
void write_to_log(const Place& at, const char* words) {
  if (!at.rank || at.rank->log < 0) return;
  SignalSafeText line;
  add_time(line);
  line.add(" ").add(or_dash(at.rank->host.data())).add(" ").add(std::uint64_t{at.rank->number}).add(" ");
  line.add(or_dash(at.node)).add(" error ").add(words).add("\n");
  write_all(at.rank->log, line.view());
}

void write_failure_record(const Place& at, const char* type, const char* words) {
  if (!at.rank || !at.rank->failure_file[0]) return;
  SignalSafeText record;
  record.add("{\"status\": 1, \"node\": ").add_quoted(at.node);
  record.add(", \"rank\": ").add(std::uint64_t{at.rank->number});
  record.add(", \"host\": ").add_quoted(at.rank->host.data());
  record.add(", \"type\": ").add_quoted(type).add(", \"text\": ").add_quoted(words);
  record.add(", \"log_file\": ").add_quoted(at.rank->log_file.data()).add("}\n");
  SignalSafeText temporary;
  temporary.add(at.rank->failure_file.data()).add(".tmp");
  const int file = ::open(temporary.data(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return;
  write_all(file, record.view());
  ::close(file);
  ::rename(temporary.data(), at.rank->failure_file.data());
}

void write_backtrace(int descriptor) {
  std::array<void*, 64> frames{};
  const int count = ::backtrace(frames.data(), static_cast<int>(frames.size()));
  ::backtrace_symbols_fd(frames.data(), count, descriptor);
}

// True for the first thread to die; others wait until the process is gone, so that the words of one are not cut.
bool may_die() {
  const auto self = static_cast<pid_t>(::syscall(SYS_gettid));
  pid_t nobody = 0;
  if (dying_thread.compare_exchange_strong(nobody, self)) return true;
  if (nobody == self) return false;  // a fault while dying: the words are out as far as they go
  for (;;) ::pause();
}

// "node learner method step on rank 3 (host a): segmentation fault (SIGSEGV) at address 0x0"
void compose(SignalSafeText& words, const Place& at, const char* what) {
  if (at.node) words.add("node ").add(at.node);
  if (at.node && at.method) words.add(" method ").add(at.method);
  if (at.node && at.rank) words.add(" on ");
  if (at.rank) words.add("rank ").add(std::uint64_t{at.rank->number});
  if (at.rank && at.rank->host[0]) words.add(" (host ").add(at.rank->host.data()).add(")");
  words.add(at.node || at.rank ? ": " : "").add(what);
}

// Tells the other ranks, who from then on take this one for gone: the last thing that it does.
void announce(const char* words) {
  if (const Hook hook = hook_of_process.load(std::memory_order_acquire)) hook(1, words);
}

void say_more(const Place& at, const SignalSafeText& words) {
  write_to_log(at, words.data());
  SignalSafeText on_terminal;
  on_terminal.add("slipway: ").add(words.view()).add("\n");
  write_all(2, on_terminal.view());
}

// Before the others know: they end, and then launchers end what is still busy with its core.
void leave_core(const Place& at, int signal, const siginfo_t* info) {
  if (!detail::core_is_wanted()) return;
  const pid_t copy = detail::start_core_copy(signal, info);
  if (copy < 0) {
    SignalSafeText refusal;
    refusal.add("no core is written (this process cannot be copied, error ").add(static_cast<std::uint64_t>(errno));
    return say_more(at, refusal.add(") leave it more memory"));
  }
  const auto number = static_cast<std::uint64_t>(copy);
  SignalSafeText words;
  say_more(at, words.add("a core is written, of process ").add(number).add(", a copy of this one"));
  if (detail::wait_for_core(copy)) return;
  SignalSafeText failure;
  failure.add("the core of process ").add(number);
  say_more(at, failure.add(" was not written (no room, no right, or a pattern of none) see "
                           "/proc/sys/kernel/core_pattern"));
}

// Here, not yet to the others.
void say(const Place& at, const char* type, const char* what, const SignalSafeText& words) {
  write_failure_record(at, type, what);
  write_to_log(at, words.data());
  SignalSafeText on_terminal;
  on_terminal.add("slipway: error: ").add(words.view()).add("\n");
  write_all(2, on_terminal.view());
  if (at.rank && at.rank->log >= 0) write_backtrace(at.rank->log);
  write_backtrace(2);
}

constexpr int no_core = 0;  // in place of a signal

void say_to_all(const Place& at, const char* type, const char* what, int core_of) {
  SignalSafeText words;
  compose(words, at, what);
  say(at, type, what, words);
  if (core_of != no_core) leave_core(at, core_of, nullptr);
  announce(words.data());
}

[[noreturn]] void die() { ::_exit(1); }

std::size_t index_of(int number) {
  std::size_t index = 0;
  while (index + 1 < fatal_signals.size() && fatal_signals[index].number != number) ++index;
  return index;
}

// The address sanitizer's handler knows more than we do. It takes its time, does not return, and calls back at the end.
void give_sanitizer_its_turn(std::size_t index, int number, siginfo_t* info, void* context,
                             const SignalSafeText& words) {
#if defined(__SANITIZE_ADDRESS__)
  static const SignalSafeText* words_for_all;
  words_for_all = &words;
  __sanitizer_set_death_callback([] {
    announce(words_for_all->data());
    die();
  });
#else  // Clang: no way back is known here
  announce(words.data());
#endif
  const auto& before = actions_before[index];
  if ((before.sa_flags & SA_SIGINFO) != 0 && before.sa_sigaction) {
    before.sa_sigaction(number, info, context);
  } else if (before.sa_handler && before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
    before.sa_handler(number);
  }
}

void on_fatal_signal(int number, siginfo_t* info, void* context) {
  if (!may_die()) die();
  const std::size_t index = index_of(number);
  const auto& signal = fatal_signals[index];
  SignalSafeText what;
  what.add(signal.meaning).add(" (").add(signal.name).add(")");
  const bool sent_by_process = info && info->si_code <= 0;
  if (sent_by_process && number != SIGABRT) {
    what.add(" sent by process ").add(static_cast<std::uint64_t>(info->si_pid));
  } else if (info && number != SIGABRT) {
    what.add(" at address ").add_hex(reinterpret_cast<std::uintptr_t>(info->si_addr));
  }
  SignalSafeText words;
  compose(words, place, what.data());
  say(place, signal.name, what.data(), words);
  leave_core(place, number, info);
  if constexpr (address_sanitizer) give_sanitizer_its_turn(index, number, info, context, words);
  static_cast<void>(context);
  announce(words.data());
  die();
}

std::string demangled(const char* name) {
  int status = 0;
  char* readable = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  std::string text = status == 0 && readable ? readable : name;
  std::free(readable);
  return text;
}

void describe_current_exception(std::string& type, std::string& text) {
  type = "std::terminate";
  text = "std::terminate was called";
  if (const std::type_info* thrown = abi::__cxa_current_exception_type()) type = demangled(thrown->name());
  if (const auto exception = std::current_exception()) {
    try {
      std::rethrow_exception(exception);
    } catch (const std::exception& error) {
      text = "uncaught " + type + ": " + error.what();
    } catch (...) {
      text = "uncaught " + type;
    }
  }
}

[[noreturn]] void on_terminate() {
  if (!may_die()) die();
  std::string type;
  std::string text;
  describe_current_exception(type, text);
  say_to_all(place, type.c_str(), text.c_str(), SIGABRT);
  die();
}

void on_exit_called() {
  if (!run_in_progress.load(std::memory_order_acquire)) return;
  if (!may_die()) die();
  say_to_all(place, "exit",
             "exit() was called (it would leave the other ranks waiting) return from run() or call stop instead",
             no_core);
  // What the user printed just before is still in the buffers of stdio, and _exit drops it.
  ::fflush(nullptr);
  die();
}

void install_signal_handlers() {
  struct sigaction action {};
  action.sa_sigaction = on_fatal_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (std::size_t index = 0; index < fatal_signals.size(); ++index) {
    ::sigaction(fatal_signals[index].number, &action, &actions_before[index]);
  }
}

template <std::size_t size>
void copy_text(std::array<char, size>& target, const std::string& text) {
  const std::size_t length = std::min(text.size(), size - 1);
  std::memcpy(target.data(), text.data(), length);
  target[length] = '\0';
}

}  // namespace

void Rank::set(std::uint32_t rank, const std::string& host_name, int log_descriptor,
               const std::filesystem::path& log_path, const std::filesystem::path& failure_path) {
  number = rank;
  log = log_descriptor;
  copy_text(host, host_name);
  copy_text(log_file, log_path.string());
  copy_text(failure_file, failure_path.string());
}

void install(Hook hook) {
  hook_of_process.store(hook, std::memory_order_release);
  static const bool installed = [] {
    std::array<void*, 1> frame{};
    ::backtrace(frame.data(), 1);  // loads the unwinder now; loading allocates, which a handler may not
    install_signal_handlers();
    std::set_terminate(on_terminate);
    std::atexit(on_exit_called);
    std::at_quick_exit(on_exit_called);
    return true;
  }();
  static_cast<void>(installed);
}

void set_run_in_progress(bool in_progress) { run_in_progress.store(in_progress, std::memory_order_release); }

AlternateStack::AlternateStack() {
  constexpr std::size_t guard_size = 64 * 1024;   // a multiple of every page size; who runs into it dies at once
  constexpr std::size_t stack_size = 256 * 1024;  // backtrace and the texts need some 50 KiB
  constexpr std::size_t size = guard_size + stack_size;
  void* memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return;
  memory_ = memory;
  size_ = size;
  ::mprotect(memory, guard_size, PROT_NONE);
  stack_t stack{};
  stack.ss_sp = static_cast<char*>(memory) + guard_size;
  stack.ss_size = stack_size;
  stack_t before{};
  ::sigaltstack(&stack, &before);
  if ((before.ss_flags & SS_DISABLE) != 0) return;
  before_memory_ = before.ss_sp;
  before_size_ = before.ss_size;
}

AlternateStack::~AlternateStack() {
  if (!memory_) return;
  stack_t before{};
  before.ss_sp = before_memory_;
  before.ss_size = before_size_;
  before.ss_flags = before_memory_ ? 0 : SS_DISABLE;
  ::sigaltstack(&before, nullptr);
  ::munmap(memory_, size_);
}

}  // namespace slipway::last_words
