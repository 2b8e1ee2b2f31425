// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <slipway/slipway.hpp>
#include <stdexcept>
#include <tuple>

#include "program.hpp"
#include "words.hpp"

namespace {

using Files = std::vector<std::string>;

// Sums up the counts of the words that fall to it.
class Reducer {
 public:
  void add(const words::Counts& counts) {
    for (const auto& [word, count] : counts) counts_[word] += count;
  }
  words::Summary summary() const { return words::summarize(counts_); }

 private:
  words::Counts counts_;
};

// Counts the words of files and hands each reducer its share.
class Mapper {
 public:
  explicit Mapper(slipway::Group<Reducer> reducers) : reducers_(std::move(reducers)) {}

  // Returns when all reducers have all of it.
  void map(const Files& files) {
    std::vector<words::Counts> shares(reducers_.size());
    for (const std::string& file : files) {
      words::for_each_word(words::read_text(file),
                           [&](const std::string& word) { ++shares[words::part_of(word, shares.size())][word]; });
    }
    for (auto& added : reducers_.scatter<&Reducer::add>(std::move(shares))) added.get();
  }

 private:
  slipway::Group<Reducer> reducers_;
};

// Gives out the files, joins what the reducers have, and compares it with a serial count.
struct Counter {
  slipway::Group<Mapper> mappers;
  slipway::Group<Reducer> reducers;
  Files roots;

  void run(slipway::Context& context) {
    const Files files = words::find_files(roots);
    std::vector<Files> shares(mappers.size());
    for (std::size_t i = 0; i < files.size(); ++i) shares[i % shares.size()].push_back(files[i]);
    for (auto& mapped : mappers.scatter<&Mapper::map>(std::move(shares))) mapped.get();

    words::Summary summary;
    for (auto& part : reducers.call_all<&Reducer::summary>()) words::add(summary, part.get());
    for (const auto& [count, word] : summary.top) context.log("{:8} {}", count, word);
    context.report("words", static_cast<double>(summary.total));
    context.log("{} words, {} different ones, in {} files", summary.total, summary.distinct, files.size());
    if (summary != words::count_serially(files)) throw std::runtime_error("the serial count is another one");
    context.log("the serial count is the same");
  }
};

int run(slipway::Options& options, examples::Flags& flags) {
  const auto mappers = flags.get<std::size_t>("--mappers", 3);
  const auto reducers = flags.get<std::size_t>("--reducers", 2);
  flags.check();
  const Files roots = flags.words().empty() ? Files{"/usr/share/common-licenses"} : flags.words();

  slipway::Program program("map_reduce");
  auto reducer = program.group<Reducer>("reducer", reducers);
  auto mapper = program.group<Mapper>("mapper", mappers, [&](int) { return std::tuple(reducer); });
  program.node<Counter>("counter", mapper, reducer, roots);
  return slipway::launch(program, options);
}

}  // namespace

int main(int argc, char** argv) { return examples::run_example("map_reduce", run, argc, argv); }
