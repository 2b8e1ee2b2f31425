// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#if __has_include(<Eigen/Core>) || __has_include(<eigen3/Eigen/Core>)

#include <algorithm>
#include <complex>
#include <vector>

#include "slipway/rpc/eigen.hpp"

namespace slipway {
namespace {

template <class T>
void expect_same(const T& value, std::size_t segments) {
  Writer writer(64);
  encode(writer, value);
  ASSERT_EQ(writer.segments().size(), segments);
  std::vector<wire::SegmentInfo> announced;
  for (const auto& segment : writer.segments()) announced.push_back(segment.info);
  Reader reader(writer.body(), announced);
  T decoded;
  decode(reader, decoded);
  reader.finish();
  const T back = std::move(decoded);
  for (std::size_t i = 0; i < announced.size(); ++i) {
    std::memcpy(reader.destinations()[i].data, writer.segments()[i].data, announced[i].size);
  }
  ASSERT_EQ(back.rows(), value.rows());
  ASSERT_EQ(back.cols(), value.cols());
  EXPECT_TRUE(std::equal(back.data(), back.data() + back.size(), value.data()));
}

TEST(Eigen, Contract5DenseMatricesAreOneArray) {
  expect_same<Eigen::MatrixXd>(Eigen::MatrixXd::Random(10, 20), 1);
  expect_same<Eigen::MatrixXf>(Eigen::MatrixXf::Random(2, 3), 0);
  expect_same<Eigen::VectorXd>(Eigen::VectorXd::Random(100), 1);
  expect_same<Eigen::MatrixXd>(Eigen::MatrixXd(0, 5), 0);
  expect_same<Eigen::Matrix<double, 5, 4>>(Eigen::Matrix<double, 5, 4>::Random(), 0);  // moves with the object
  expect_same<Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(Eigen::MatrixXf::Random(9, 9), 1);
  expect_same<Eigen::ArrayXXi>(Eigen::ArrayXXi::Random(8, 8), 1);
  expect_same<Eigen::MatrixXcd>(Eigen::MatrixXcd::Random(4, 4), 1);
  static_assert(library_decodable<Eigen::MatrixXd> && Transferable<std::vector<Eigen::Vector3d>>);
}

TEST(Eigen, Contract6ShapesAreChecked) {
  Writer writer;
  encode(writer, Eigen::MatrixXd(Eigen::MatrixXd::Random(3, 2)));
  const auto accepts = [&writer]<class T>(T matrix) {
    Reader reader(writer.body());
    try {
      decode(reader, matrix);
      return true;
    } catch (const WireError&) {
      return false;
    }
  };
  EXPECT_TRUE(accepts(Eigen::Matrix<double, 3, 2>()));
  EXPECT_FALSE(accepts(Eigen::Matrix<double, 2, 3>()));
  EXPECT_FALSE(accepts(Eigen::VectorXd()));
  EXPECT_FALSE(accepts(Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 2, 2>()));
}

}  // namespace
}  // namespace slipway

#endif
