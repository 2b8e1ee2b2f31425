// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "training.hpp"

#include <cstdio>
#include <fstream>

#include "hdf5_object.hpp"

namespace digits {
namespace {

std::string format(const char* pattern, auto... values) {
  char text[160];
  std::snprintf(text, sizeof(text), pattern, values...);
  return text;
}

template <class Float>
std::span<Float> cut(Float* first, std::size_t size, int shards, std::size_t shard) {
  const auto parts = static_cast<std::size_t>(shards);
  const std::size_t begin = size * shard / parts;
  return {first + begin, size * (shard + 1) / parts - begin};
}

const char* mode(const Training& training) { return training.synchronous ? "synchronous" : "asynchronous"; }

// Options and descriptions are attributes.
void write_attribute(hid_t of, const char* name, hid_t type, const void* value) {
  const std::string what = std::string("cannot write the attribute '") + name + "'";
  const Object one(H5Screate(H5S_SCALAR), H5Sclose, what);
  const Object attribute(H5Acreate2(of, name, type, one, H5P_DEFAULT, H5P_DEFAULT), H5Aclose, what);
  check(H5Awrite(attribute, type, value), what);
}

void write_text(hid_t of, const char* name, const char* text) {
  const std::string what = std::string("cannot make the type of '") + name + "'";
  const Object type(H5Tcopy(H5T_C_S1), H5Tclose, what);
  check(H5Tset_size(type, H5T_VARIABLE), what);
  check(H5Tset_cset(type, H5T_CSET_UTF8), what);  // h5py makes a str of it
  write_attribute(of, name, type, &text);
}

template <class T>
void write_array(hid_t file, const char* name, hid_t type, const std::vector<T>& values, const char* description) {
  const std::string what = std::string("cannot write the dataset '") + name + "'";
  const hsize_t size = values.size();
  const Object space(H5Screate_simple(1, &size, nullptr), H5Sclose, what);
  const Object dataset(H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose, what);
  check(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), what);
  write_text(dataset, "description", description);
}

void write_options(hid_t file, const Training& training) {
  write_text(file, "mode", mode(training));
  write_attribute(file, "trainers", H5T_NATIVE_INT, &training.trainers);
  write_attribute(file, "shards", H5T_NATIVE_INT, &training.shards);
  write_attribute(file, "updates", H5T_NATIVE_INT, &training.updates);
  write_attribute(file, "batch", H5T_NATIVE_INT, &training.batch);
  write_attribute(file, "hidden", H5T_NATIVE_INT, &training.hidden);
  write_attribute(file, "learning_rate", H5T_NATIVE_FLOAT, &training.learning_rate);
  write_attribute(file, "momentum", H5T_NATIVE_FLOAT, &training.momentum);
}

}  // namespace

Training Training::from_flags(examples::Flags& flags) {
  Training training;
  for (auto [name, value] :
       {std::pair("--trainers", &training.trainers), std::pair("--shards", &training.shards),
        std::pair("--updates", &training.updates), std::pair("--batch", &training.batch),
        std::pair("--hidden", &training.hidden), std::pair("--evaluations", &training.evaluations)}) {
    *value = flags.get(name, *value);
    if (*value < 1) throw std::runtime_error(std::string("the flag ") + name + " must be at least 1");
  }
  training.learning_rate = flags.get("--learning-rate", training.learning_rate);
  training.momentum = flags.get("--momentum", training.momentum);
  training.data = flags.get("--data", training.data);
  const std::string mode = flags.get<std::string>("--mode", "async");
  if (mode != "async" && mode != "sync") throw std::runtime_error("the flag --mode must be async or sync");
  training.synchronous = mode == "sync";
  flags.check();
  if (!std::ifstream(training.data)) {
    throw std::runtime_error("cannot read '" + training.data + "' (name the digits file with --data FILE)");
  }
  return training;
}

std::span<float> Training::part(std::vector<float>& values, std::size_t shard) const {
  return cut(values.data(), values.size(), shards, shard);
}
std::span<const float> Training::part(const std::vector<float>& values, std::size_t shard) const {
  return cut(values.data(), values.size(), shards, shard);
}

Optimizer Training::optimizer(std::size_t shard) const {
  const std::vector<float> all = initial_parameters();
  const auto mine = part(all, shard);
  return {{mine.begin(), mine.end()}, learning_rate, momentum, updates};
}

int Training::gradients(int trainer) const {
  return synchronous ? updates : updates * (trainer + 1) / trainers - updates * trainer / trainers;
}

int Training::evaluated_version(int evaluation) const { return updates * evaluation / evaluations; }

std::string Result::add(int version, double since_start, Score score) {
  updates.push_back(version);
  seconds.push_back(since_start);
  loss.push_back(score.loss);
  accuracy.push_back(score.accuracy);
  return format("%6d updates %7.3f s  loss %.4f  accuracy %.4f", version, since_start, score.loss, score.accuracy);
}

std::string Result::summary(const Training& training) const {
  return format("%s, %d trainers, %d shards: accuracy %.4f, %.0f updates/s", mode(training), training.trainers,
                training.shards, accuracy.back(), training.updates / seconds.back());
}

void save(const Training& training, const Result& result, const std::filesystem::path& path) {
  const std::string unfinished = path.string() + ".unfinished";
  {
    const Object file(H5Fcreate(unfinished.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose,
                      "cannot create '" + unfinished + "'");
    write_options(file, training);
    const Object group(H5Gcreate2(file, "curve", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose,
                       "cannot make the group 'curve'");
    write_array(group, "updates", H5T_NATIVE_INT64, result.updates, "updates applied to the parameters");
    write_array(group, "seconds", H5T_NATIVE_DOUBLE, result.seconds, "seconds since the start of the training");
    write_array(group, "loss", H5T_NATIVE_DOUBLE, result.loss, "mean cross entropy on the held-out images");
    write_array(group, "accuracy", H5T_NATIVE_DOUBLE, result.accuracy, "share of the held-out images named rightly");
    write_array(file, "parameters", H5T_NATIVE_FLOAT, result.parameters,
                "weights and biases, in the order of classifier.hpp");
    check(H5Fflush(file, H5F_SCOPE_GLOBAL), "cannot flush '" + unfinished + "'");
  }
  std::filesystem::rename(unfinished, path);
}

}  // namespace digits
