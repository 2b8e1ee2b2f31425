// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#if __has_include(<Eigen/Core>)
#include <Eigen/Core>
#else
#include <eigen3/Eigen/Core>
#endif

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "slipway/rpc/archive.hpp"

// Eigen's dense matrices and arrays as arguments and results. For programs that use Eigen; nothing else includes this.
//   rows, cols (sizes), then the coefficients as one array in storage order.
namespace slipway {
namespace detail {

template <class T>
struct EigenCoding {
  using Scalar = typename T::Scalar;
  using Index = Eigen::Index;
  static constexpr bool library_decodable = true;
  // Coefficients inside the object move with it, those on the heap stay.
  static constexpr bool on_heap = T::MaxSizeAtCompileTime == Eigen::Dynamic;

  static void encode(Writer& writer, const T& value) {
    writer.size(static_cast<std::uint64_t>(value.rows()));
    writer.size(static_cast<std::uint64_t>(value.cols()));
    writer.array(value.data(), static_cast<std::size_t>(value.size()), sizeof(Scalar),
                 on_heap && may_be_segment<Scalar>);
  }

  static void decode(Reader& reader, T& value) {
    const std::uint64_t rows = reader.size();
    const std::uint64_t cols = reader.size();
    const auto head = reader.array_head(sizeof(Scalar), on_heap && may_be_segment<Scalar>);
    if (!fits(rows, T::RowsAtCompileTime, T::MaxRowsAtCompileTime) ||
        !fits(cols, T::ColsAtCompileTime, T::MaxColsAtCompileTime) || !is_product(rows, cols, head.count)) {
      throw_wire_error("a matrix whose shape does not fit");
    }
    value.resize(static_cast<Index>(rows), static_cast<Index>(cols));
    reader.array(head, value.data());
    check_elements(std::span<const Scalar>(value.data(), head.count));
  }

 private:
  static bool fits(std::uint64_t size, int fixed, int maximum) {
    if (fixed != Eigen::Dynamic) return size == static_cast<std::uint64_t>(fixed);
    if (maximum != Eigen::Dynamic) return size <= static_cast<std::uint64_t>(maximum);
    return size <= static_cast<std::uint64_t>(std::numeric_limits<Index>::max());
  }
  static bool is_product(std::uint64_t rows, std::uint64_t cols, std::size_t count) {
    if (rows == 0 || cols == 0) return count == 0;
    return count % rows == 0 && count / rows == cols;
  }
};

}  // namespace detail

template <class Scalar, int rows, int cols, int options, int max_rows, int max_cols>
requires is_raw<Scalar>
struct Coding<Eigen::Matrix<Scalar, rows, cols, options, max_rows, max_cols>>
    : detail::EigenCoding<Eigen::Matrix<Scalar, rows, cols, options, max_rows, max_cols>> {
};

template <class Scalar, int rows, int cols, int options, int max_rows, int max_cols>
requires is_raw<Scalar>
struct Coding<Eigen::Array<Scalar, rows, cols, options, max_rows, max_cols>>
    : detail::EigenCoding<Eigen::Array<Scalar, rows, cols, options, max_rows, max_cols>> {
};

}  // namespace slipway
