// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bitset>
#include <cereal/types/base_class.hpp>
#include <cereal/types/valarray.hpp>
#include <cereal/types/vector.hpp>
#include <chrono>
#include <compare>
#include <complex>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <valarray>
#include <variant>
#include <vector>

#include "slipway/rpc/archive.hpp"

// The kinds of types that users pass to calls, for the tests of the archive.
namespace wire_types {

enum class Color : std::uint8_t { red, green, blue };
enum class Free : std::int16_t { one = 1, many = 1000 };
enum Old { old_zero, old_one };

struct Padded {
  char letter = 'a';
  double number = 0;
  bool flag = false;
  auto operator<=>(const Padded&) const = default;
};

struct Particle {
  double position[3] = {};
  float velocity[3] = {};
  std::array<std::int16_t, 2> cell = {};
  char name[8] = {};
  bool operator==(const Particle&) const = default;
};

struct Painted {
  Color color = Color::red;
  Free free = Free::one;
  Old old = old_zero;
  bool operator==(const Painted&) const = default;
};

struct Settings {
  std::string name = "run";
  std::vector<double> rates;
  std::optional<Particle> start;
  bool quick = true;
  bool operator==(const Settings&) const = default;
};

struct Batch {
  std::vector<std::vector<float>> rows;
  std::map<std::string, Settings> settings;
  slipway::Buffer<std::int32_t> labels;
};

struct Tree {
  int value = 0;
  std::vector<Tree> children;
  std::unique_ptr<Tree> next;
};

// Private fields, cereal's name-value pairs.
class Account {
 public:
  Account() = default;
  Account(int id, std::string owner) : id_(id), owner_(std::move(owner)) {}
  bool operator==(const Account&) const = default;

 private:
  friend class cereal::access;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(id_), cereal::make_nvp("owner", owner_), CEREAL_NVP(history_));
  }
  int id_ = 0;
  std::string owner_;
  std::vector<double> history_{1, 2, 3};
};

struct Versioned : Account {
  Versioned() = default;
  Versioned(int id, std::string owner) : Account(id, std::move(owner)) {}
  template <class Archive>
  void serialize(Archive& archive, std::uint32_t version) {
    archive(cereal::base_class<Account>(this));
    if (version >= 2) archive(extra);
  }
  std::valarray<int> extra{4, 5};
};

// save and load, and a free function.
class Split {
 public:
  template <class Archive>
  void save(Archive& archive) const {
    archive(static_cast<std::uint64_t>(values.size()));
    for (const auto& value : values) archive << value;
  }
  template <class Archive>
  void load(Archive& archive) {
    std::uint64_t count = 0;
    archive(count);
    values.clear();
    for (std::uint64_t i = 0; i < count; ++i) {
      std::string value;
      archive >> value;
      values.push_back(std::move(value));
    }
  }
  bool operator==(const Split&) const = default;
  std::vector<std::string> values;

 private:
  [[maybe_unused]] int hidden_ = 0;
};

class Point {
 public:
  Point() = default;
  Point(double x, double y) : x_(x), y_(y) {}
  double& x() { return x_; }
  double& y() { return y_; }
  bool operator==(const Point&) const = default;

 private:
  double x_ = 0;
  double y_ = 0;
};
template <class Archive>
void serialize(Archive& archive, Point& point) {
  archive& point.x();
  archive& point.y();
}

// One value that stands for the class.
class Percent {
 public:
  Percent() = default;
  explicit Percent(double value) : value_(value) {}
  template <class Archive>
  double save_minimal(const Archive&) const {
    return value_;
  }
  template <class Archive>
  void load_minimal(const Archive&, const double& value) {
    value_ = value;
  }
  bool operator==(const Percent&) const = default;

 private:
  double value_ = 0;
};

// Bytes that the walk cannot see into, but that its author vouches for.
class Quaternion {
 public:
  Quaternion() = default;
  explicit Quaternion(float w) : values_{w, 0, 0, 0} {}
  bool operator==(const Quaternion&) const = default;

 private:
  float values_[4] = {1, 0, 0, 0};
};

struct Polymorphic {
  virtual ~Polymorphic() = default;
  int value = 0;
};
struct WithPointer {
  int* pointer = nullptr;
};
struct WithView {
  std::string_view view;
};
struct WithBase : Padded {
  int more = 0;
};
struct WithReference {
  int& reference;
};

}  // namespace wire_types

CEREAL_CLASS_VERSION(wire_types::Versioned, 2)

template <>
inline constexpr bool slipway::raw<wire_types::Quaternion> = true;
template <>
inline constexpr auto slipway::valid_enum<wire_types::Color> =
    [](wire_types::Color color) { return color <= wire_types::Color::blue; };
