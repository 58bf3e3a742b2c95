// SPDX-License-Identifier: Apache-2.0
#include "trainer/boost/basis.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/scratch_folder.h"
#include "tests/trainer/refusal.h"
#include "trainer/base/random.h"
#include "trainer/boost/npy.h"

namespace adarun::trainer {
namespace {

using Matrix = std::vector<std::vector<double>>;

double inner_product_of(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

TEST(Eigenpairs, AreThoseOfTheMatrixTheLargestFirst) {
  constexpr std::size_t size = 12;
  Random random(3);
  std::vector<double> matrix(size * size);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j <= i; ++j) matrix[i * size + j] = matrix[j * size + i] = random.uniform(-1, 1);
  }
  const std::vector<Eigenpair> pairs = eigenpairs(matrix, size, [] {});
  ASSERT_EQ(pairs.size(), size);
  for (std::size_t i = 0; i < size; ++i) {
    EXPECT_LE(pairs[i].value, pairs[i == 0 ? 0 : i - 1].value);
    for (std::size_t row = 0; row < size; ++row) {
      const std::vector<double> of(matrix.begin() + row * size, matrix.begin() + (row + 1) * size);
      EXPECT_NEAR(inner_product_of(of, pairs[i].vector), pairs[i].value * pairs[i].vector[row], 1e-12);
    }
    for (std::size_t j = 0; j <= i; ++j)
      EXPECT_NEAR(inner_product_of(pairs[i].vector, pairs[j].vector), i == j ? 1 : 0, 1e-12);
  }
}

TEST(Eigenpairs, OfADiagonalAreItsNumbers) {
  const std::vector<Eigenpair> pairs = eigenpairs({2, 0, 0, 5}, 2, [] { FAIL() << "needs no sweep"; });
  EXPECT_EQ(pairs[0].value, 5);
  EXPECT_EQ(pairs[0].vector, (std::vector<double>{0, 1}));
}

class Basis : public testing::Test {
 protected:
  static constexpr std::size_t columns = 5000;

  /// Rows that are a mean plus random multiples of `directions`, so many times as strong one after the other.
  void draw(std::size_t rows, const Matrix& directions) {
    Random random(9);
    samples.assign(rows, std::vector<double>(columns));
    for (auto& row : samples) {
      for (std::size_t i = 0; i < columns; ++i) row[i] = std::sin(static_cast<double>(i));
      double strength = 8;
      for (const auto& direction : directions) {
        const double factor = strength * random.uniform(-1, 1);
        for (std::size_t i = 0; i < columns; ++i) row[i] += factor * direction[i];
        strength /= 2;
      }
    }
  }

  Matrix made(int components) {
    const WeightSamples of{samples.size(), columns,
                           [this](std::size_t row, std::size_t column, std::span<float> values) {
                             for (std::size_t i = 0; i < values.size(); ++i)
                               values[i] = static_cast<float>(samples[row][column + i]);
                           }};
    write_basis(of, {components, deadline}, folder.path() / "p.npy");
    NpyFile file{folder.path() / "p.npy"};
    EXPECT_EQ(file.rows(), static_cast<std::size_t>(components));
    Matrix rows;
    for (std::size_t row = 0; row < file.rows(); ++row) {
      std::vector<float> values(file.columns());
      file.read_row(row, values);
      rows.emplace_back(values.begin(), values.end());
    }
    return rows;
  }

  std::vector<double> unit(std::size_t number) {
    std::vector<double> direction(columns);
    direction[number] = 1;
    return direction;
  }

  Matrix samples;
  test::ScratchFolder folder;
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::now() + std::chrono::hours(1);
};

TEST_F(Basis, SpansTheDirectionsInWhichSamplesDiffer) {
  const Matrix directions = {unit(7), unit(4999), unit(2048)};
  draw(6, directions);
  const Matrix basis = made(3);
  for (const auto& direction : directions) {
    double inside = 0;
    for (const auto& row : basis) inside += std::pow(inner_product_of(row, direction), 2);
    EXPECT_NEAR(inside, 1, 1e-6);  // samples and basis are floats
  }
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j <= i; ++j)
      EXPECT_NEAR(inner_product_of(basis[i], basis[j]), i == j ? 1 : 0, 1e-6);
  }
}

TEST_F(Basis, HasTheStrongestDirectionFirst) {
  draw(40, {unit(7), unit(8), unit(9)});
  const Matrix basis = made(1);
  EXPECT_GT(std::abs(basis[0][7]), 0.9);
}

TEST_F(Basis, WantsMoreSamplesThanDirections) {
  draw(3, {unit(1), unit(2), unit(3), unit(4)});
  EXPECT_EQ(testing_data::refusal([&] { made(4); }),
            "dim_reduce: The samples: 3 is less than: n_component 4.");
  EXPECT_EQ(
      testing_data::refusal([&] { made(3); }),
      "dim_reduce: the samples differ in 2 directions only: wanted n_components 3 (at least one sample more "
      "than that)");
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  made(2);
}

TEST_F(Basis, IsGivenUpAfterItsDeadline) {
  draw(3, {unit(1), unit(2), unit(3)});
  deadline = std::chrono::steady_clock::now() - std::chrono::seconds(1);
  EXPECT_EQ(testing_data::refusal([&] { made(2); }),
            "dim_reduce: the basis was not made in time (timeout of the dictionary)");
}

}  // namespace
}  // namespace adarun::trainer
