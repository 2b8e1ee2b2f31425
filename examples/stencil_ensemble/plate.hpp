// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <vector>

// A solver as people write it with MPI, which knows nothing of slipway: heat in a square plate of which one edge is
// kept hot, in strips of rows, one a rank.
namespace plate {

struct Plate {
  std::size_t cells = 64;     // along an edge
  int steps = 400;            // of time
  double conductivity = 0.1;  // times step of time / cell squared; up to 0.25
};

using Communicator = MPI_Comm;

// Where a rank stands among those that share the plate. A rank alone needs no communicator.
struct Team {
  Communicator communicator = MPI_COMM_NULL;
  int rank = 0;
  int size = 1;
};

class Strip {
 public:
  Strip(const Plate& plate, const Team& team)
      : plate_(plate),
        team_(team),
        first_(first_row(team.rank)),
        rows_(first_row(team.rank + 1) - first_),
        now_((rows_ + 2) * plate.cells),
        next_(now_) {
    if (team.rank > 0) return;
    for (auto* const field : {&now_, &next_}) std::fill_n(field->begin(), plate.cells, 1.0);  // the hot edge
  }

  void advance() {
    for (int step = 0; step < plate_.steps; ++step) {
      exchange_edges();
      for (std::size_t row = 1; row <= rows_; ++row) advance_row(row);
      now_.swap(next_);
    }
  }

  // Down the middle of the plate, as far as this rank has it.
  std::vector<double> middle() const {
    std::vector<double> temperatures;
    for (std::size_t row = 1; row <= rows_; ++row) temperatures.push_back(now_[row * plate_.cells + plate_.cells / 2]);
    return temperatures;
  }

 private:
  std::size_t first_row(int rank) const {
    return plate_.cells * static_cast<std::size_t>(rank) / static_cast<std::size_t>(team_.size);
  }
  // Rows 0 and rows_ + 1 are those of the neighbours, or the edges of the plate, which keep their temperature.
  void exchange_edges() {
    if (team_.size == 1) return;
    const int above = team_.rank > 0 ? team_.rank - 1 : MPI_PROC_NULL;
    const int below = team_.rank + 1 < team_.size ? team_.rank + 1 : MPI_PROC_NULL;
    exchange(1, above, rows_ + 1, below);
    exchange(rows_, below, 0, above);
  }
  void exchange(std::size_t mine, int to, std::size_t theirs, int from) {
    const int count = static_cast<int>(plate_.cells);
    MPI_Sendrecv(&now_[mine * plate_.cells], count, MPI_DOUBLE, to, 0, &now_[theirs * plate_.cells], count, MPI_DOUBLE,
                 from, 0, team_.communicator, MPI_STATUS_IGNORE);
  }
  void advance_row(std::size_t row) {
    const std::size_t width = plate_.cells;
    const double* const here = &now_[row * width];
    double* const after = &next_[row * width];
    for (std::size_t i = 1; i + 1 < width; ++i) {
      const double flow = here[i - 1] + here[i + 1] + *(here + i - width) + here[i + width] - 4 * here[i];
      after[i] = here[i] + plate_.conductivity * flow;
    }
  }

  const Plate plate_;
  const Team team_;
  const std::size_t first_;
  const std::size_t rows_;
  std::vector<double> now_;
  std::vector<double> next_;
};

inline std::vector<double> solve(const Plate& plate, const Team& team) {
  Strip strip(plate, team);
  strip.advance();
  return strip.middle();
}

}  // namespace plate
