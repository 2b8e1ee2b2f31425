// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <istream>
#include <ostream>
#include <slipway/slipway.hpp>
#include <string>
#include <thread>

#include "flags.hpp"

// Counts to --steps, a step each --pause milliseconds, and goes on where an attempt before was told to stop. On the way
// it can fail: --fail-at STEP by an exception, --crash-at STEP by abort(). Each rank beyond the first has a node that
// only keeps it company, and takes --slow-start milliseconds to come and --slow-end to go. What it asks for: --gpus N for
// each of the company, --on-hosts PATTERN and --alone 1 for the counter.
namespace {

struct Settings {
  std::uint64_t steps = 10;
  int pause = 100;
  std::uint64_t fail_at = 0;
  std::uint64_t crash_at = 0;
};

class Company {
 public:
  Company(slipway::Context& context, int slow_start, int slow_end) : context_(context), slow_end_(slow_end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(slow_start));
  }
  ~Company() {
    std::this_thread::sleep_for(std::chrono::milliseconds(slow_end_));
    context_.report("farewells", 1);
  }
  Company(const Company&) = delete;
  Company& operator=(const Company&) = delete;
  int answer(int value) {
    context_.report("answers", 1);
    return value;
  }

 private:
  slipway::Context& context_;
  int slow_end_;
};

class Counter {
 public:
  Counter(slipway::Context& context, slipway::Group<Company> company, Settings settings)
      : company_(std::move(company)), settings_(settings) {
    context.on_restore([this](std::istream& in) { in >> count_; });
    context.log("attempt {} begins at {}", context.attempt(), count_);
    context.on_notice([this, &context](std::chrono::nanoseconds left) {
      context.log("told at {}, {} s left", count_, left / std::chrono::seconds(1));
    });
    context.on_save([this](std::ostream& out) { out << count_; });
  }

  void run(slipway::Context& context) {
    while (count_ < settings_.steps && context.sleep_for(std::chrono::milliseconds(settings_.pause))) {
      auto answers = company_.call_all<&Company::answer>(1);
      for (auto& answer : answers) answer.get();
      context.exclusive([this] { ++count_; });
      context.report("counts", 1);
      context.progress(count_);
      context.report_progress("count " + std::to_string(count_));
      if (count_ == settings_.crash_at) std::abort();
      if (count_ == settings_.fail_at) throw std::runtime_error("failed at " + std::to_string(count_) + ", as asked");
    }
    context.log("counted to {}", count_);
  }

 private:
  slipway::Group<Company> company_;
  Settings settings_;
  std::uint64_t count_ = 0;
};

}  // namespace

int main(int argc, char** argv) try {
  slipway::Options options(argc, argv);
  examples::Flags flags(argc, argv);
  Settings settings;
  settings.steps = flags.get("--steps", settings.steps);
  settings.pause = flags.get("--pause", settings.pause);
  settings.crash_at = flags.get("--crash-at", settings.crash_at);
  settings.fail_at = flags.get("--fail-at", settings.fail_at);
  const int company_size = flags.get("--company", 3);
  const int slow_start = flags.get("--slow-start", 0);
  const int slow_end = flags.get("--slow-end", 0);
  const double gpus = flags.get("--gpus", 0);
  const slipway::Wishes wishes{.exclusive = flags.get("--alone", 0) == 1,
                               .on_hosts = flags.get("--on-hosts", std::string())};
  flags.check();
  slipway::Program program("counting");
  auto company = program.with({.resources = {.gpus = gpus}}).group<Company>("company", company_size, [&](int) {
    return std::tuple(slow_start, slow_end);
  });
  program.with({.wishes = wishes}).node<Counter>("counter", company, settings);
  return slipway::launch(program, options);
} catch (const std::exception& error) {
  std::fprintf(stderr, "counting_program: %s\n", error.what());
  return 2;
}
