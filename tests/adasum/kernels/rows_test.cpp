// SPDX-License-Identifier: Apache-2.0
#include "adasum/kernels/rows.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "adasum/kernels/arrays.h"

namespace adasum::kernels {
namespace {

// Small integers, which every type represents and every sum adds exactly.
double number(std::size_t row, std::size_t i) {
  return static_cast<double>((i * 7 + row * 5) % 11) - 5;
}

template <typename T>
std::vector<std::vector<T>> integers(std::size_t rows, std::size_t size) {
  std::vector<std::vector<T>> result(rows, std::vector<T>(size));
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t i = 0; i < size; ++i) round_to(result[r][i], number(r, i));
  return result;
}

template <typename T>
std::vector<const T*> pointers(const std::vector<std::vector<T>>& rows) {
  std::vector<const T*> result;
  for (const auto& row : rows) result.push_back(row.data());
  return result;
}

template <typename T>
class Rows : public testing::Test {};
using Types = testing::Types<float, double, Float16, BFloat16>;
TYPED_TEST_SUITE(Rows, Types);

template <typename T>
void expect_products(std::size_t rows, std::size_t size) {
  const auto data = integers<T>(rows, size);
  std::vector<double> products(pairs_of(rows), -1);
  gram<T>(pointers(data), size, products);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = i; j < rows; ++j) {
      double wanted = 0;
      for (std::size_t k = 0; k < size; ++k) wanted += number(i, k) * number(j, k);
      EXPECT_EQ(products[pair_index(i, j, rows)], wanted)
          << rows << " rows of " << size << ": " << i << ", " << j;
    }
  }
}

template <typename T>
void expect_mixture(std::size_t rows, std::size_t size) {
  auto data = integers<T>(rows, size);
  std::vector<double> coefficients(rows);
  for (std::size_t r = 0; r < rows; ++r) coefficients[r] = r % 2 == 0 ? 1 : -0.5;
  std::vector<T> other(size);
  const std::vector<T*> outs = {data[0].data(), other.data()};
  mix<T>(pointers(data), coefficients, size, outs);
  for (std::size_t k = 0; k < size; ++k) {
    double wanted = 0;
    for (std::size_t r = 0; r < rows; ++r) wanted += coefficients[r] * number(r, k);
    EXPECT_EQ(to_double(other[k]), wanted) << rows << " rows, element " << k << " of " << size;
  }
  EXPECT_EQ(data[0], other);
}

// Runs on each kind of CPU whose code this CPU can execute.
template <typename Check>
void on_every_target(const Check& check) {
  const auto targets = hwy::SupportedAndGeneratedTargets();
  for (const auto target : targets) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().DeInit();
    check();
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().DeInit();
}

TYPED_TEST(Rows, AreMultipliedEachWithEachOther) {
  on_every_target([] {
    for (std::size_t rows = 1; rows <= max_rows; ++rows) {
      for (const std::size_t size : {0, 1, 2, 7, 8, 127, 128, 129, 300, 800})
        expect_products<TypeParam>(rows, size);
    }
  });
}

TYPED_TEST(Rows, AreMixedInAnyNumber) {
  on_every_target([] {
    for (const std::size_t rows : {1, 2, 3, 16, 20}) {
      for (const std::size_t size : {0, 1, 2, 7, 8, 127, 128, 129, 300})
        expect_mixture<TypeParam>(rows, size);
    }
  });
}

// All finite values are tried: 16 bits have few enough.
template <typename T>
void expect_all_numbers_survive() {
  std::vector<T> all;
  for (unsigned bits = 0; bits <= 0xffff; ++bits) {
    const T number{static_cast<std::uint16_t>(bits)};
    if (std::isfinite(to_double(number))) all.push_back(number);
  }
  auto result = all;
  const T* row = all.data();
  T* out = result.data();
  const double one = 1;
  mix<T>({&row, 1}, {&one, 1}, all.size(), {&out, 1});
  EXPECT_EQ(result, all);
}

TEST(Mix, OfOneRowIsThatRow) {
  on_every_target([] {
    expect_all_numbers_survive<Float16>();
    expect_all_numbers_survive<BFloat16>();
  });
}

TEST(Stream, CopiesEachByteAndNoOther) {
  on_every_target([] {
    for (const std::size_t size : {0, 1, 63, 64, 65, 200, 1000}) {
      for (const std::size_t offset : {0, 1, 63}) {
        std::vector<std::byte> from(size, std::byte{7});
        for (std::size_t i = 0; i < size; ++i) from[i] = static_cast<std::byte>(i * 31 + 1);
        std::vector<std::byte> to(size + 128);
        stream(from, std::span(to).subspan(offset, size));
        std::vector<std::byte> wanted(size + 128);
        std::copy(from.begin(), from.end(), wanted.begin() + static_cast<std::ptrdiff_t>(offset));
        EXPECT_EQ(to, wanted) << size << " bytes at " << offset;
      }
    }
  });
}

TEST(Gram, OfFloatsIsSummedInDouble) {
  const std::vector<float> row = {0x1p12F, 0x1p-12F};
  const float* rows[] = {row.data()};
  double square = 0;
  gram<float>(rows, row.size(), std::span(&square, 1));
  EXPECT_EQ(square, 0x1p24 + 0x1p-24) << "more digits than a float has";
}

std::vector<std::vector<float>> rows_of(std::size_t rows, std::size_t size,
                                        double (*number)(std::size_t, std::size_t)) {
  std::vector<std::vector<float>> result(rows, std::vector<float>(size));
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t i = 0; i < size; ++i) result[r][i] = static_cast<float>(number(r, i));
  }
  return result;
}

// The error of each dot product, compared with double, as a fraction of |a||b|.
void expect_close(const std::vector<std::vector<float>>& data, double tolerance) {
  const std::size_t rows = data.size();
  std::vector<double> products(pairs_of(rows));
  gram<float>(pointers(data), data[0].size(), products);
  const auto dot = [&](std::size_t i, std::size_t j) {
    long double sum = 0;
    for (std::size_t k = 0; k < data[i].size(); ++k) sum += static_cast<long double>(data[i][k]) * data[j][k];
    return static_cast<double>(sum);
  };
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = i; j < rows; ++j) {
      const double room = tolerance * std::sqrt(dot(i, i)) * std::sqrt(dot(j, j));
      EXPECT_NEAR(products[pair_index(i, j, rows)], dot(i, j), room) << i << ", " << j;
    }
  }
}

TEST(Gram, OfManyRowsIsCloseToThatInDouble) {
  on_every_target([] {
    for (const std::size_t size : {5'000, 5'003}) {
      expect_close(
          rows_of(16, size,
                  [](std::size_t r, std::size_t i) { return std::sin(static_cast<double>(i * (r + 1))); }),
          0x1p-26);
      expect_close(
          rows_of(7, size, [](std::size_t r, std::size_t) { return 1.0 / static_cast<double>(r + 3); }),
          0x1p-20);
    }
  });
}

TEST(Gram, OfManyRowsHasItsDigitsWhateverTheirLengths) {
  on_every_target([] {
    expect_close(rows_of(16, 3'000,
                         [](std::size_t r, std::size_t i) {
                           constexpr double lengths[] = {1, 1e-30, 1e30, 0, 1e-44, 1e-19, 1e19, 1e-10};
                           return lengths[r % 8] * std::cos(static_cast<double>(i + r));
                         }),
                 0x1p-24);
  });
}

TEST(Gram, OfManyRowsIsFiniteWhereTheyAre) {
  auto data = rows_of(16, 3'000, [](std::size_t, std::size_t) { return 1e38; });
  std::vector<double> products(pairs_of(16));
  gram<float>(pointers(data), 3'000, products);
  for (const double product : products) EXPECT_TRUE(std::isfinite(product));
  data[3][1'000] = NAN;
  gram<float>(pointers(data), 3'000, products);
  EXPECT_FALSE(std::isfinite(products[pair_index(3, 3, 16)]));
  EXPECT_TRUE(std::isfinite(products[pair_index(2, 2, 16)]));
}

}  // namespace
}  // namespace adasum::kernels
