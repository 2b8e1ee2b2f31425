// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace slipway {

// Held while a thread calls HDF5, by programs and by the runtime: one for the process. A thread may hold it more than
// once. Never hold it across a wait for a call.
class [[nodiscard]] Hdf5Lock {
 public:
  Hdf5Lock();  // waits until it is free
  ~Hdf5Lock();
  Hdf5Lock(const Hdf5Lock&) = delete;
  Hdf5Lock& operator=(const Hdf5Lock&) = delete;
};

// HDF5 is not built for threads everywhere, and a rank has many:
//   const auto lock = slipway::hdf5_lock();
//   H5Dwrite(...);
inline Hdf5Lock hdf5_lock() { return {}; }

}  // namespace slipway
