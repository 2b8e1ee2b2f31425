// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <cstddef>

#include "slipway/base/error.hpp"

namespace slipway::detail {

// An MPI call failed; carries the error class for those who can go on.
class MpiError : public Error {
 public:
  MpiError(const std::string& text, int error_class) : Error(text), error_class_(error_class) {}
  int error_class() const { return error_class_; }

 private:
  int error_class_;
};

[[noreturn]] void throw_mpi_error(int code, const char* function, int line);

// Every return code of MPI goes through here. Not by std::source_location, which Clang 14 has not.
inline void check(int code, const char* function = __builtin_FUNCTION(), int line = __builtin_LINE()) {
  if (code != MPI_SUCCESS) [[unlikely]]
    throw_mpi_error(code, function, line);
}

// A count as MPI wants it; throws Error past its range.
int mpi_count(std::size_t count);

}  // namespace slipway::detail
