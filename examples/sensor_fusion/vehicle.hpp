// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

// A vehicle that drives a figure of eight, its sensors, and a Kalman filter that estimates where it is. Plain values
// and functions; nothing of slipway.
namespace vehicle {

using Time = std::int64_t;           // microseconds of the drive
using Axis = std::array<double, 3>;  // place, speed, acceleration; in m and s
using Motion = std::array<Axis, 2>;  // to the east and to the north

inline Motion truth(Time time) {
  const double turn = 0.2 * static_cast<double>(time) * 1e-6;
  return {Axis{40 * std::sin(turn), 8 * std::cos(turn), -1.6 * std::sin(turn)},
          Axis{25 * std::sin(2 * turn), 10 * std::cos(2 * turn), -4 * std::sin(2 * turn)}};
}

struct Sensor {
  const char* name;
  std::size_t measures;  // which part of an axis
  Time period;
  double noise;
  double bias;  // nothing knows of it
  Time time_of(std::int64_t index) const { return period * index + period / 2; }
  std::int64_t first_from(Time time) const { return (time + period / 2 - 1) / period; }
};
inline constexpr std::array<Sensor, 3> sensors{
    {{"accelerometer", 2, 20'000, 0.3, 0.05}, {"odometer", 1, 50'000, 0.3, 0.08}, {"gps", 0, 200'000, 1.5, 0}}};

// Of all sensors, from one time to another.
inline std::size_t count_readings(Time from, Time to) {
  std::int64_t count = 0;
  for (const Sensor& sensor : sensors) count += sensor.first_from(to) - sensor.first_from(from);
  return static_cast<std::size_t>(count);
}

struct Reading {
  std::size_t sensor = 0;
  std::int64_t index = 0;
  std::array<double, 2> values{};  // one an axis
  bool operator==(const Reading&) const = default;
  Time time() const { return sensors[sensor].time_of(index); }
};

inline Reading read(std::size_t sensor, std::int64_t index, std::uint32_t seed) {
  const Sensor& by = sensors[sensor];
  const Motion motion = truth(by.time_of(index));
  std::seed_seq seeds{seed, static_cast<std::uint32_t>(sensor), static_cast<std::uint32_t>(index)};
  std::mt19937 random(seeds);
  std::normal_distribution<double> error(by.bias, by.noise);
  const double east = motion[0][by.measures] + error(random);
  return {sensor, index, {east, motion[1][by.measures] + error(random)}};
}

struct Estimate {
  Time time = 0;
  Motion motion = truth(0);          // where it starts is known
  std::array<Axis, 3> covariance{};  // the same for both axes
  bool operator==(const Estimate&) const = default;
};

inline Axis moved(const Axis& axis, double h) {
  return {axis[0] + h * axis[1] + h * h / 2 * axis[2], axis[1] + h * axis[2], axis[2]};
}

// Constant acceleration, disturbed by white jerk.
inline void predict(Estimate& estimate, Time time) {
  constexpr double jerk = 1;  // m^2/s^5
  const double h = static_cast<double>(time - estimate.time) * 1e-6;
  auto& [was, motion, covariance] = estimate;
  for (Axis& axis : motion) axis = moved(axis, h);
  for (int side = 0; side < 2; ++side) {
    for (Axis& row : covariance) row = moved(row, h);
    for (const auto& [i, j] : {std::pair(0, 1), {0, 2}, {1, 2}}) std::swap(covariance[i][j], covariance[j][i]);
  }
  const Axis kick = moved({0, 0, 1}, h);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) covariance[i][j] += jerk * h * kick[i] * kick[j];
  }
  was = time;
}

inline void correct(Estimate& estimate, const Reading& reading) {
  const Sensor& sensor = sensors[reading.sensor];
  const Axis row = estimate.covariance[sensor.measures];
  const double variance = row[sensor.measures] + sensor.noise * sensor.noise;
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const double surprise = reading.values[axis] - estimate.motion[axis][sensor.measures];
    for (std::size_t i = 0; i < 3; ++i) estimate.motion[axis][i] += row[i] / variance * surprise;
  }
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) estimate.covariance[i][j] -= row[i] * row[j] / variance;
  }
}

// Where the vehicle is at that time, by what was known before and by readings since, in any order.
inline Estimate fuse(Estimate estimate, std::vector<Reading> readings, Time time) {
  std::ranges::sort(readings, {}, [](const Reading& each) { return std::pair(each.time(), each.sensor); });
  for (const Reading& reading : readings) {
    predict(estimate, reading.time());
    correct(estimate, reading);
  }
  predict(estimate, time);
  return estimate;
}

struct Step {
  std::vector<Reading> readings;
  Estimate estimate;
  bool operator==(const Step&) const = default;
};
using Drive = std::vector<Step>;

// The same, in a plain loop: with the readings of another drive, or all of one sensor.
inline Drive drive_again(const Drive& other, std::uint32_t seed) {
  Drive drive;
  Estimate estimate;
  for (auto [readings, was] : other) {
    for (Reading& each : readings) each = read(each.sensor, each.index, seed);
    estimate = fuse(estimate, readings, was.time);
    drive.push_back({readings, estimate});
  }
  return drive;
}
inline Drive drive_with(std::size_t sensor, Time end, std::uint32_t seed) {
  Drive drive;
  for (std::int64_t index = 0; index < sensors[sensor].first_from(end); ++index) {
    drive.push_back({{{.sensor = sensor, .index = index}}, {.time = sensors[sensor].time_of(index)}});
  }
  return drive_again(drive, seed);
}

// In m: the root of the mean square.
inline double error_of(const Drive& drive) {
  double squares = 0;
  for (const Step& step : drive) {
    const Motion real = truth(step.estimate.time);
    const Motion& told = step.estimate.motion;
    squares += std::pow(told[0][0] - real[0][0], 2) + std::pow(told[1][0] - real[1][0], 2);
  }
  return std::sqrt(squares / static_cast<double>(drive.size()));
}

}  // namespace vehicle
