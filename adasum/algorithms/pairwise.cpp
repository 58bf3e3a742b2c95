// SPDX-License-Identifier: Apache-2.0
#include "adasum/algorithms/row_tree.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "adasum/types/number.h"

namespace adasum::algorithms {
namespace {

// The values times 2^-exponent.
std::vector<double> scaled(std::span<const double> values, int exponent) {
  std::vector<double> result(values.size());
  std::ranges::transform(values, result.begin(), [&](double value) { return std::ldexp(value, -exponent); });
  return result;
}

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

template <typename T>
std::vector<double> widened(const T* elements, std::size_t size) {
  std::vector<double> result(size);
  std::transform(elements, elements + size, result.begin(), [](T element) { return to_double(element); });
  return result;
}

// One level of the tree: each pair of rows that are `distance` apart is combined into its first.
template <typename T>
class PairLevel {
 public:
  PairLevel(RowParts<T>& parts, Range rows, std::size_t distance, std::span<const char> wanted)
      : parts_(parts),
        rows_(rows),
        distance_(distance),
        wanted_(wanted),
        pairs_((rows.size() + distance - 1) / (2 * distance)),
        peaks_(2 * wanted.size() * pairs_),
        dots_(3 * wanted.size() * pairs_) {}

  void run(ScalarReduce& reduce) {
    for_each([&](const T* a, const T* b, std::size_t size, std::size_t place) {
      peaks_[2 * place] = std::max(peaks_[2 * place], peak(a, size));
      peaks_[2 * place + 1] = std::max(peaks_[2 * place + 1], peak(b, size));
    });
    reduce.max(peaks_);
    for_each([&](const T* first, const T* second, std::size_t size, std::size_t place) {
      const auto a = scaled(widened(first, size), exponent(2 * place));
      const auto b = scaled(widened(second, size), exponent(2 * place + 1));
      dots_[3 * place] += dot(a, b);
      dots_[3 * place + 1] += dot(a, a);
      dots_[3 * place + 2] += dot(b, b);
    });
    reduce.sum(dots_);
    for_each([&](T* a, const T* b, std::size_t size, std::size_t place) { combine(a, b, size, place); });
  }

 private:
  // `place`: of the pair and the tensor, among those of the level.
  template <typename Visit>
  void for_each(const Visit& visit) {
    for (RowPart<T>& part : parts_) {
      if (part.tensor >= wanted_.size() || wanted_[part.tensor] == 0) continue;
      for (std::size_t i = 0; i < pairs_; ++i) {
        const std::size_t a = rows_.begin + 2 * distance_ * i;
        visit(part.rows[a], part.rows[a + distance_], part.size, part.tensor * pairs_ + i);
      }
    }
  }

  static double peak(const T* elements, std::size_t size) {
    double most = 0;
    for (std::size_t i = 0; i < size; ++i) most = std::max(most, std::abs(to_double(elements[i])));
    return most;
  }

  int exponent(std::size_t vector) const {
    int exponent = 0;
    std::frexp(peaks_[vector], &exponent);
    return exponent;
  }

  // a = (a - a.b / (2|a|^2) a) + (b - a.b / (2|b|^2) b). Each subtracted term is at most half as long as the
  // other vector, but its coefficient alone may overflow.
  void combine(T* a, const T* b, std::size_t size, std::size_t place) const {
    const double ab = dots_[3 * place];
    const double aa = dots_[3 * place + 1];
    const double bb = dots_[3 * place + 2];
    const int exponent_a = exponent(2 * place);
    const int exponent_b = exponent(2 * place + 1);
    const double off_a = aa == 0 ? 0 : ab / aa / 2;
    const double off_b = bb == 0 ? 0 : ab / bb / 2;
    for (std::size_t i = 0; i < size; ++i) {
      const double x = to_double(a[i]);
      const double y = to_double(b[i]);
      const double less_x = std::ldexp(off_a * std::ldexp(x, -exponent_a), exponent_b);
      const double less_y = std::ldexp(off_b * std::ldexp(y, -exponent_b), exponent_a);
      round_to(a[i], (x - less_x) + (y - less_y));
    }
  }

  RowParts<T>& parts_;
  Range rows_;
  std::size_t distance_;
  std::span<const char> wanted_;
  std::size_t pairs_;          // of each tensor
  std::vector<double> peaks_;  // of both vectors of each place
  std::vector<double> dots_;   // a.b, a.a and b.b of each place, each vector divided by 2^exponent
};

}  // namespace

template <typename T>
void combine_pairwise(RowParts<T>& parts, const StridedRows& nodes, std::span<const char> wanted,
                      ScalarReduce& reduce) {
  for (std::size_t distance = nodes.stride; distance < nodes.rows.size(); distance *= 2)
    PairLevel<T>(parts, nodes.rows, distance, wanted).run(reduce);
}

template void combine_pairwise<float>(RowParts<float>&, const StridedRows&, std::span<const char>,
                                      ScalarReduce&);
template void combine_pairwise<double>(RowParts<double>&, const StridedRows&, std::span<const char>,
                                       ScalarReduce&);
template void combine_pairwise<Float16>(RowParts<Float16>&, const StridedRows&, std::span<const char>,
                                        ScalarReduce&);
template void combine_pairwise<BFloat16>(RowParts<BFloat16>&, const StridedRows&, std::span<const char>,
                                         ScalarReduce&);

}  // namespace adasum::algorithms
