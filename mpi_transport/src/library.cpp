// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "slipway/mpi/library.hpp"

#include <mpi.h>

#include <algorithm>

#include "checked_mpi.hpp"

namespace slipway {

std::string mpi_library() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  detail::check(MPI_Get_library_version(text, &length));
  std::string library(text, static_cast<std::size_t>(length));
  library = library.substr(0, library.find_first_of(",\n"));  // what follows is about packaging
  std::replace(library.begin(), library.end(), '\t', ' ');
  return library;
}

}  // namespace slipway
