// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "checked_mpi.hpp"

#include <limits>
#include <string>

namespace slipway::detail {

void throw_mpi_error(int code, const char* function, int line) {
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  int error_class = code;
  if (MPI_Error_string(code, text, &length) != MPI_SUCCESS) length = 0;
  if (MPI_Error_class(code, &error_class) != MPI_SUCCESS) error_class = code;
  throw MpiError("MPI failed: " + std::string(text, static_cast<std::size_t>(length)) + " (in " + function + ", line " +
                     std::to_string(line) + "); see the MPI library's own messages on stderr",
                 error_class);
}

int mpi_count(std::size_t count) {
  if (count > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    throw Error("a count of " + std::to_string(count) + " does not fit MPI (its counts are int); send smaller parts");
  }
  return static_cast<int>(count);
}

}  // namespace slipway::detail
