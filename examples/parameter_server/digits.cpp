// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "digits.hpp"

#include <hdf5.h>

#include <cstdio>
#include <span>
#include <stdexcept>

namespace digits {
namespace {

// An HDF5 identifier and the function that closes it. A failed one throws `what`.
class Object {
 public:
  Object(hid_t id, herr_t (*close)(hid_t), const std::string& what) : id_(id), close_(close) {
    if (id < 0) throw std::runtime_error(what);
  }
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
  ~Object() { close_(id_); }
  operator hid_t() const { return id_; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

void check(herr_t status, const std::string& what) {
  if (status < 0) throw std::runtime_error(what);
}

std::vector<std::uint8_t> read_bytes(hid_t file, const char* name, std::size_t expected) {
  const std::string what =
      std::string("cannot read the dataset '") + name + "' (is this the digits file of examples/data?)";
  const Object dataset(H5Dopen2(file, name, H5P_DEFAULT), H5Dclose, what);
  const Object space(H5Dget_space(dataset), H5Sclose, what);
  if (H5Sget_simple_extent_npoints(space) != static_cast<hssize_t>(expected)) throw std::runtime_error(what);
  std::vector<std::uint8_t> bytes(expected);
  check(H5Dread(dataset, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()), what);
  return bytes;
}

void append(Images& images, int column, std::span<const std::uint8_t> grey, std::uint8_t label) {
  constexpr float brightest = 16;
  for (int pixel = 0; pixel < pixels; ++pixel) {
    images.pixels(pixel, column) = static_cast<float>(grey[static_cast<std::size_t>(pixel)]) / brightest;
  }
  images.labels.push_back(label);
}

template <class T>
void write_array(hid_t file, const char* name, hid_t type, const std::vector<T>& values, const char* description) {
  const std::string what = std::string("cannot write the dataset '") + name + "'";
  const hsize_t size = values.size();
  const Object space(H5Screate_simple(1, &size, nullptr), H5Sclose, what);
  const Object dataset(H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose, what);
  check(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), what);
  const Object text(H5Tcopy(H5T_C_S1), H5Tclose, what);
  check(H5Tset_size(text, std::char_traits<char>::length(description)), what);
  const Object one(H5Screate(H5S_SCALAR), H5Sclose, what);
  const Object attribute(H5Acreate2(dataset, "description", text, one, H5P_DEFAULT, H5P_DEFAULT), H5Aclose, what);
  check(H5Awrite(attribute, text, description), what);
}

void write_option(hid_t file, const char* name, hid_t type, const void* value) {
  const std::string what = std::string("cannot write the option '") + name + "'";
  const Object one(H5Screate(H5S_SCALAR), H5Sclose, what);
  const Object attribute(H5Acreate2(file, name, type, one, H5P_DEFAULT, H5P_DEFAULT), H5Aclose, what);
  check(H5Awrite(attribute, type, value), what);
}

void write_options(hid_t file, const Result& result) {
  const Object text(H5Tcopy(H5T_C_S1), H5Tclose, "cannot make a string type");
  check(H5Tset_size(text, result.mode.size()), "cannot size a string type");
  write_option(file, "mode", text, result.mode.data());
  write_option(file, "trainers", H5T_NATIVE_INT64, &result.trainers);
  write_option(file, "shards", H5T_NATIVE_INT64, &result.shards);
  write_option(file, "batch", H5T_NATIVE_INT64, &result.batch);
  write_option(file, "hidden", H5T_NATIVE_INT64, &result.hidden);
  write_option(file, "learning_rate", H5T_NATIVE_DOUBLE, &result.learning_rate);
  write_option(file, "momentum", H5T_NATIVE_DOUBLE, &result.momentum);
  write_option(file, "seconds", H5T_NATIVE_DOUBLE, &result.seconds);
}

}  // namespace

Digits load(const std::string& path) {
  constexpr std::size_t count = 1797;
  const Object file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose,
                    "cannot open '" + path + "' (name the digits file with --data FILE)");
  const auto grey = read_bytes(file, "images", count * pixels);
  const auto labels = read_bytes(file, "labels", count);
  const auto held_out = read_bytes(file, "held_out", count);
  Digits result;
  result.training.pixels.resize(pixels, count);
  result.held_out.pixels.resize(pixels, count);
  for (std::size_t image = 0; image < count; ++image) {
    Images& part = held_out[image] != 0 ? result.held_out : result.training;
    append(part, part.count(), std::span(grey).subspan(image * pixels, pixels), labels[image]);
  }
  for (Images* part : {&result.training, &result.held_out}) part->pixels.conservativeResize(pixels, part->count());
  return result;
}

void save(const Result& result, const std::string& path) {
  const std::string unfinished = path + ".unfinished";
  {
    const Object file(H5Fcreate(unfinished.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose,
                      "cannot create '" + unfinished + "'");
    write_options(file, result);
    const Object group(H5Gcreate2(file, "curve", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose,
                       "cannot make a group");
    write_array(group, "updates", H5T_NATIVE_INT64, result.curve.updates, "updates applied to the parameters");
    write_array(group, "seconds", H5T_NATIVE_DOUBLE, result.curve.seconds, "seconds since the start of the training");
    write_array(group, "loss", H5T_NATIVE_DOUBLE, result.curve.loss, "mean cross entropy on the held-out images");
    write_array(group, "accuracy", H5T_NATIVE_DOUBLE, result.curve.accuracy, "share of held-out images named rightly");
    write_array(file, "parameters", H5T_NATIVE_FLOAT, result.parameters,
                "weights and biases, in the order of classifier.hpp");
    check(H5Fflush(file, H5F_SCOPE_GLOBAL), "cannot flush '" + unfinished + "'");
  }
  if (std::rename(unfinished.c_str(), path.c_str()) != 0)
    throw std::runtime_error("cannot rename '" + unfinished + "'");
}

}  // namespace digits
