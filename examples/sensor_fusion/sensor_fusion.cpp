// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <random>
#include <slipway/slipway.hpp>
#include <stdexcept>
#include <utility>
#include <vector>

#include "program.hpp"
#include "vehicle.hpp"

namespace {

using slipway::Ref;
using vehicle::Estimate, vehicle::Reading;
using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr vehicle::Time tick_length = 20'000;

struct Settings {
  double seconds = 20;       // of the drive
  double speed = 1;          // 2: all clocks run twice as fast
  double deadline = 0.5;     // for inputs, in ticks after the one that they are for; 0: it waits for all of them
  double late_share = 0.02;  // of the inputs that are held up on purpose, with those behind them
  double late_ticks = 3;     // by so much
  std::uint32_t seed = 1;

  int ticks() const { return static_cast<int>(seconds * 1e6 / tick_length); }
  std::chrono::nanoseconds real(double time) const {  // on the clocks here
    return std::chrono::nanoseconds(static_cast<std::int64_t>(time * 1e3 / speed));
  }
};

struct Input {
  std::int64_t tick = 0;  // the first after it was measured
  Ref<Reading> reading;
};

// Takes, each tick, what the sensors have measured since the one before, and estimates where the vehicle is.
class Fusion {
 public:
  explicit Fusion(const Settings& settings) : settings_(settings) {}
  void join() { ++sensors_; }
  void take(const Input& input) { inbox_.push_back(input); }

  void run(slipway::Context& context) {
    while (context.exclusive([this] { return sensors_; }) < vehicle::sensors.size() && context.sleep_for(1ms)) continue;
    begin_ = Clock::now();
    for (int tick = 1; tick <= settings_.ticks(); ++tick) {
      if (!context.sleep_for(begin_of(tick) - Clock::now())) return;
      fuse(tick, gather(context, tick));
    }
    report(context);
  }

 private:
  bool waits_for_all() const { return settings_.deadline == 0; }
  Clock::time_point begin_of(double tick) const { return begin_ + settings_.real(tick * tick_length); }

  // The inputs of the tick that come before its deadline.
  std::vector<slipway::Done<Reading>> gather(slipway::Context& context, int tick) {
    const auto deadline = begin_of(tick + settings_.deadline);
    const std::size_t due = vehicle::count_readings((tick - 1) * tick_length, tick * tick_length);
    slipway::WaitSet<Reading> waiting;
    std::vector<slipway::Done<Reading>> came;
    do {
      for (const Ref<Reading>& reading : arrived(context, tick)) waiting.add(reading);
      if (waiting.empty() && !context.sleep_for(1ms)) break;
      std::ranges::move(waiting.wait({.timeout = 1ms}), std::back_inserter(came));  // then it looks for new ones
    } while (came.size() < due && (waits_for_all() || Clock::now() < deadline));
    for (const Ref<Reading>& late : waiting.refs()) slipway::cancel(late);
    dropped_ += due - came.size();
    return came;
  }

  // What there is in the inbox for the tick. Nobody wants any more what is for one before.
  std::vector<Ref<Reading>> arrived(slipway::Context& context, int tick) {
    const auto inbox = context.exclusive([this] { return std::exchange(inbox_, {}); });
    std::vector<Ref<Reading>> readings;
    for (const Input& input : inbox) {
      if (input.tick < tick) slipway::cancel(input.reading);
      if (input.tick == tick) readings.push_back(input.reading);
      if (input.tick > tick) context.exclusive([&] { inbox_.push_back(input); });
    }
    return readings;
  }

  // Until the next tick begins. Without an estimate that tick is missed, and the next one goes on from that before.
  void fuse(int tick, const std::vector<slipway::Done<Reading>>& came) {
    const std::chrono::nanoseconds left = begin_of(tick + 1) - Clock::now();
    const auto on = slipway::on({.priority = 1, .timeout = waits_for_all() ? 0ns : std::max(left, 1ns)});
    const auto next = slipway::submit<&vehicle::fuse>(on, estimate_, came, tick * tick_length);
    try {
      vehicle::Step step{.readings = {}, .estimate = slipway::wait(std::vector{next}).front().value()};
      for (const auto& reading : came) step.readings.push_back(reading.value());
      drive_.push_back(std::move(step));
      fused_ += came.size();
      estimate_ = next;
      delay_ += Clock::now() - begin_of(tick);
    } catch (const slipway::Timeout&) {
      ++missed_;
      dropped_ += came.size();
    }
  }

  void report(slipway::Context& context) const {
    if (drive_ != vehicle::drive_again(drive_, settings_.seed))
      throw std::logic_error("a plain loop over the same inputs gives other estimates than the tasks");
    context.log("a plain loop over the same inputs gives the same {} estimates, to the last bit", drive_.size());
    context.log("{} ticks held, {} missed; {} inputs fused, {} dropped; estimates come {:.2f} ms after the tick",
                drive_.size(), missed_, fused_, dropped_, delay_.count() / static_cast<double>(drive_.size()));
    const auto alone = [this](std::size_t sensor) {
      return vehicle::error_of(vehicle::drive_with(sensor, settings_.ticks() * tick_length, settings_.seed));
    };
    context.log("error {:.2f} m; accelerometer alone {:.2f} m, odometer alone {:.2f} m, gps alone {:.2f} m",
                vehicle::error_of(drive_), alone(0), alone(1), alone(2));
  }

  Settings settings_;
  std::size_t sensors_ = 0;
  std::vector<Input> inbox_;
  Clock::time_point begin_;
  Ref<Estimate> estimate_ = slipway::put(Estimate());
  vehicle::Drive drive_;  // the ticks that were held
  int missed_ = 0;
  std::size_t fused_ = 0, dropped_ = 0;  // inputs
  std::chrono::duration<double, std::milli> delay_{0};

 public:
  using slipway_interface = slipway::interface<&Fusion::join, &Fusion::take>;
};

// A sensor with its own clock. Tasks work out its readings while their refs are on the way.
struct Stream {
  slipway::Handle<Fusion> fusion;
  Settings settings;
  std::size_t sensor = 0;

  void run(slipway::Context& context) {
    const auto begin = Clock::now();
    fusion.post<&Fusion::join>();
    std::mt19937 random(settings.seed + static_cast<std::uint32_t>(sensor));
    std::bernoulli_distribution is_late(settings.late_share);
    for (std::int64_t index = 0;; ++index) {
      const vehicle::Time time = vehicle::sensors[sensor].time_of(index);
      if (time >= settings.ticks() * tick_length) return;
      const double late = is_late(random) ? settings.late_ticks * tick_length : 0;
      if (!context.sleep_for(begin + settings.real(static_cast<double>(time) + late) - Clock::now())) return;
      fusion.post<&Fusion::take>(
          Input{time / tick_length + 1, slipway::submit<&vehicle::read>(sensor, index, settings.seed)});
    }
  }
};

int run(slipway::Options& options, examples::Flags& flags) {
  Settings settings;
  settings.seconds = flags.get("--seconds", settings.seconds);
  settings.speed = flags.get("--speed", settings.speed);
  settings.deadline = flags.get("--deadline", settings.deadline);
  settings.late_share = flags.get("--late-share", settings.late_share);
  settings.late_ticks = flags.get("--late-ticks", settings.late_ticks);
  settings.seed = flags.get("--seed", settings.seed);
  flags.check();
  const auto require = [](bool good, const char* rule) {
    if (!good) throw std::runtime_error(rule);
  };
  require(settings.seconds >= 1 && settings.seconds <= 1e5, "--seconds is from 1 to 100000");
  require(settings.speed >= 0.01 && settings.speed <= 100, "--speed is from 0.01 to 100");
  require(settings.deadline >= 0 && settings.deadline <= 1, "--deadline is from 0 (wait for all inputs) to 1 (a tick)");
  require(settings.late_share >= 0 && settings.late_share <= 1, "--late-share is from 0 to 1");
  require(settings.late_ticks >= 0 && settings.late_ticks <= 1e6, "--late-ticks is from 0 to 1000000");

  slipway::Program program("sensor_fusion");
  const slipway::NodeOptions waits_mostly{.resources = {.cpus = 0.1}};
  const auto fusion = program.with(waits_mostly).node<Fusion>("fusion", settings);
  for (std::size_t sensor = 0; sensor < vehicle::sensors.size(); ++sensor)
    program.with(waits_mostly).node<Stream>(vehicle::sensors[sensor].name, fusion, settings, sensor);
  return slipway::launch(program, options);
}

}  // namespace

int main(int argc, char** argv) { return examples::run_example("sensor_fusion", run, argc, argv); }
