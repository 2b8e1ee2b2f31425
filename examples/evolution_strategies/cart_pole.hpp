// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <random>
#include <span>

// Cart-pole swing-up: a motor moves a cart on a short track; a pole hangs from it on a hinge without friction. The task
// is to swing the pole up and to hold it there. Units: metres, seconds, kilograms, newtons, radians.
namespace evolution {

struct CartPole {
  double position = 0;  // of the cart, from the middle of the track
  double velocity = 0;
  double angle = 0;  // of the pole, 0 is upright
  double spin = 0;   // rate of the angle
};

inline constexpr double track_half = 2.4;
inline constexpr double strongest_force = 10;
inline constexpr double time_step = 0.02;
inline constexpr int episode_steps = 500;     // 10 s
inline constexpr int held_steps = 150;        // solved: upright for the last 3 s,
inline constexpr double spin_penalty = 0.25;  // without it the best that is easily found is a pole that spins for ever
inline constexpr double held_angle = 12 * std::numbers::pi / 180;  // to within 12 degrees

// The time derivative of the state (Barto, Sutton, Anderson 1983, with Florian's correction of 2007, no friction).
inline CartPole derivative(const CartPole& state, double force) {
  constexpr double gravity = 9.81;
  constexpr double cart_mass = 1;
  constexpr double pole_mass = 0.1;
  constexpr double half_length = 0.5;
  constexpr double mass = cart_mass + pole_mass;
  const double sine = std::sin(state.angle);
  const double cosine = std::cos(state.angle);
  const double push = (force + pole_mass * half_length * state.spin * state.spin * sine) / mass;
  const double spin_rate =
      (gravity * sine - cosine * push) / (half_length * (4.0 / 3.0 - pole_mass * cosine * cosine / mass));
  return {state.velocity, push - pole_mass * half_length * spin_rate * cosine / mass, state.spin, spin_rate};
}

inline CartPole moved(const CartPole& state, const CartPole& rate, double time) {
  return {state.position + time * rate.position, state.velocity + time * rate.velocity, state.angle + time * rate.angle,
          state.spin + time * rate.spin};
}

// One classical Runge-Kutta step of fourth order with a constant force.
inline CartPole step(const CartPole& state, double force) {
  const CartPole k1 = derivative(state, force);
  const CartPole k2 = derivative(moved(state, k1, time_step / 2), force);
  const CartPole k3 = derivative(moved(state, k2, time_step / 2), force);
  const CartPole k4 = derivative(moved(state, k3, time_step), force);
  CartPole next = moved(state, k1, time_step / 6);
  next = moved(next, k2, time_step / 3);
  next = moved(next, k3, time_step / 3);
  return moved(next, k4, time_step / 6);
}

// A network with one hidden layer: position, velocity, sine and cosine of the angle, spin -> force.
inline constexpr std::size_t inputs = 5;
inline constexpr std::size_t hidden = 12;
inline constexpr std::size_t policy_size = hidden * (inputs + 1) + hidden + 1;

inline double policy_force(std::span<const float> policy, const CartPole& state) {
  const std::array<double, inputs> seen{state.position / track_half, state.velocity / 4, std::sin(state.angle),
                                        std::cos(state.angle), state.spin / 8};
  const float* weight = policy.data();
  double output = policy[policy_size - 1];
  for (std::size_t unit = 0; unit < hidden; ++unit) {
    double sum = *weight++;
    for (const double value : seen) sum += *weight++ * value;
    output += policy[hidden * (inputs + 1) + unit] * std::tanh(sum);
  }
  return strongest_force * std::tanh(output);
}

struct Episode {
  double reward = 0;    // 0 to 1: how upright, near to the middle and calm, on average
  bool solved = false;  // upright at each of the last held_steps, and never off the track
};

// Lets the policy act for one episode. The seed chooses the start: hanging, with a little of everything.
inline Episode run_episode(std::span<const float> policy, std::uint64_t seed) {
  std::minstd_rand random(static_cast<std::uint32_t>(seed * 0x9E3779B97F4A7C15ULL >> 33));
  random.discard(2);
  std::uniform_real_distribution<double> little(-1, 1);
  CartPole state{0.5 * little(random), 0.1 * little(random), std::numbers::pi + 0.3 * little(random),
                 0.3 * little(random)};
  Episode episode;
  int held = 0;
  for (int i = 0; i < episode_steps; ++i) {
    state = step(state, policy_force(policy, state));
    if (std::abs(state.position) > track_half) return episode;
    const double cosine = std::cos(state.angle);
    const double off_middle = state.position / track_half;
    const double calm = 1 / (1 + spin_penalty * state.spin * state.spin);
    episode.reward += (1 + cosine) / 2 * (1 - off_middle * off_middle) * calm / episode_steps;
    held = cosine > std::cos(held_angle) ? held + 1 : 0;
  }
  episode.solved = held >= held_steps;
  return episode;
}

}  // namespace evolution
