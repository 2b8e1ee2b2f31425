// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "digits.hpp"

#include <span>
#include <stdexcept>

#include "hdf5_object.hpp"

namespace digits {
namespace {

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

}  // namespace

Digits load(const std::string& path) {
  constexpr std::size_t count = 1797;
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // the exceptions say it
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

}  // namespace digits
