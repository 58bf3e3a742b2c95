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

#include "adasum/kernels/copy.h"

namespace adasum::kernels {
namespace {

// Small integers, which every type holds and every sum is exact for.
double number(std::size_t row, std::size_t i) { return static_cast<double>((i * 7 + row * 5) % 11) - 5; }

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
      EXPECT_EQ(products[pair_index(i, j, rows)], wanted) << rows << " rows of " << size << ": " << i << ", " << j;
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

// On each kind of CPU that this one can be taken for.
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
      for (const std::size_t size : {0, 1, 2, 7, 8, 127, 128, 129, 300}) expect_products<TypeParam>(rows, size);
    }
  });
}

TYPED_TEST(Rows, AreMixedInAnyNumber) {
  on_every_target([] {
    for (const std::size_t rows : {1, 2, 3, 16, 20}) {
      for (const std::size_t size : {0, 1, 2, 7, 8, 127, 128, 129, 300}) expect_mixture<TypeParam>(rows, size);
    }
  });
}

// Of 16 bits there are few enough to try all that are finite.
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

}  // namespace
}  // namespace adasum::kernels
