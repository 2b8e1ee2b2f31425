// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <numeric>
#include <set>
#include <slipway/slipway.hpp>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

// Contracts 12 and 13 over whatever launch chooses: tasks that are long enough to be shared, of values that lie on
// several ranks, give the serial answer; and the program ends.
namespace {

using Numbers = std::vector<double>;

void require(bool holds, const std::string& what) {
  if (!holds) throw std::logic_error(what);
}

struct Word {
  std::string text;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(text);
  }
};

void spend(int microseconds) {
  slipway::seam::sleep_until(slipway::seam::after(std::chrono::microseconds(microseconds)));
}
Numbers numbers(std::size_t size) {
  spend(500);
  Numbers all(size);
  std::iota(all.begin(), all.end(), 0.0);
  return all;
}
double sum(const Numbers& values) { return std::accumulate(values.begin(), values.end(), 0.0); }
double sum_slowly(const Numbers& values) {
  spend(1000);
  return sum(values);
}
double total(const std::vector<double>& sums, const Word& word) {
  return sum(sums) + static_cast<double>(word.text.size());
}
std::uint32_t where() { return slipway::detail::Endpoint::of_this_thread().rank().value(); }
int refuse(int number) {
  spend(500);
  throw std::domain_error("refused " + std::to_string(number));
}
std::uint64_t fibonacci(int n) {
  if (n < 2) return static_cast<std::uint64_t>(n);
  spend(20);
  const auto left = slipway::submit<&fibonacci>(n - 1);
  const auto right = slipway::submit<&fibonacci>(n - 2);
  return slipway::get(left) + slipway::get(right);
}
double expected_sum(std::size_t size) {
  const auto count = static_cast<double>(size);
  return count * (count - 1) / 2;
}

struct Maker {
  slipway::Ref<Numbers> make(std::size_t size) { return slipway::submit<&numbers>(size); }
  double look(const slipway::Ref<Numbers>& ref) { return sum(slipway::get(ref)); }
};

struct Submitter {
  slipway::Group<Maker> makers;  // on all ranks

  void run() {
    shared_work();
    values_of_all_ranks();
    failures();
    require(slipway::get(slipway::submit<&fibonacci>(15)) == 610, "nested tasks");
    for (std::uint32_t rank = 0; rank < slipway::detail::Endpoint::of_this_thread().ranks(); ++rank) {
      const auto there = slipway::on({.on_rank = slipway::RankId(rank)});
      require(slipway::get(slipway::submit<&where>(there)) == rank, "a task on a rank");
    }
  }

  static void shared_work() {
    std::vector<slipway::Ref<double>> sums;
    for (int i = 0; i < 60; ++i) {
      sums.push_back(slipway::submit<&sum_slowly>(slipway::submit<&numbers>(static_cast<std::size_t>(200 * i))));
    }
    double expected = 4;
    for (std::size_t i = 0; i < 60; ++i) expected += expected_sum(200 * i);
    require(slipway::get(slipway::submit<&total>(sums, Word{"word"})) == expected, "the sum of all");
  }
  void values_of_all_ranks() {
    for (const std::size_t size : {10UL, 100'000UL}) {
      for (const auto& maker : makers) {
        const auto ref = maker.get<&Maker::make>(size);
        for (const auto& reader : makers)
          require(reader.get<&Maker::look>(ref) == expected_sum(size), "a borrowed value");
        require(slipway::get(slipway::submit<&sum>(slipway::on({}).near(ref), ref)) == expected_sum(size),
                "near a value");
      }
    }
  }
  static void failures() {
    std::vector<slipway::Ref<int>> refs;
    for (int i = 0; i < 20; ++i) refs.push_back(slipway::submit<&refuse>(i));
    for (std::size_t i = 0; i < refs.size(); ++i) {
      try {
        slipway::get(refs[i]);
        require(false, "a failure");
      } catch (const slipway::TaskError& error) {
        require(error.failure().text == "refused " + std::to_string(i), "its own failure");
      }
    }
  }
};

}  // namespace

int main(int argc, char** argv) {
  slipway::Program program("tasks_program");
  const auto makers = program.group<Maker>("maker", 5, [](int) { return std::tuple(); });
  program.node<Submitter>("submitter", makers);
  return slipway::launch(program, argc, argv);
}
