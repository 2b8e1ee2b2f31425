// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <hdf5.h>

#include <stdexcept>
#include <string>

// HDF5's C interface with exceptions.
namespace digits {

// HDF5 cannot close itself at the end of the process while a thread's error stack has entries.
[[noreturn]] inline void fail(const std::string& what) {
  H5Eclear2(H5E_DEFAULT);
  throw std::runtime_error(what);
}

// An HDF5 identifier and the function that closes it. A failed one throws `what`.
class Object {
 public:
  Object(hid_t id, herr_t (*close)(hid_t), const std::string& what) : id_(id), close_(close) {
    if (id < 0) fail(what);
  }
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
  ~Object() { close_(id_); }
  operator hid_t() const { return id_; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

inline void check(herr_t status, const std::string& what) {
  if (status < 0) fail(what);
}

}  // namespace digits
