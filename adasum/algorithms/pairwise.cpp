// SPDX-License-Identifier: Apache-2.0
#include "adasum/algorithms/pairwise.h"

#include <algorithm>
#include <cmath>
#include <utility>
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

// One pair of rows, and its index among the pairs of its level.
struct Pair {
  std::size_t a = 0;
  std::size_t b = 0;
  std::size_t index = 0;
};

// The dot products of a pair of vectors of one tensor, after each vector is divided by 2^exponent.
struct PairDots {
  int exponent_a = 0;
  int exponent_b = 0;
  double ab = 0;
  double aa = 0;
  double bb = 0;
};

template <typename T>
class PairLevel {
 public:
  PairLevel(RowParts<T>& parts, std::vector<Pair> pairs, std::span<const char> wanted)
      : parts_(parts), pairs_(std::move(pairs)), wanted_(wanted), peaks_(2 * places()), dots_(3 * places()) {}

  void run(ScalarReduce& reduce) {
    for_each([&](RowPart<T>& part, const Pair& pair, std::size_t place) {
      peaks_[2 * place] = std::max(peaks_[2 * place], peak(part.rows[pair.a], part.size));
      peaks_[2 * place + 1] = std::max(peaks_[2 * place + 1], peak(part.rows[pair.b], part.size));
    });
    reduce.max(peaks_);
    for_each([&](RowPart<T>& part, const Pair& pair, std::size_t place) {
      const auto a = scaled(widened(part.rows[pair.a], part.size), exponent(2 * place));
      const auto b = scaled(widened(part.rows[pair.b], part.size), exponent(2 * place + 1));
      dots_[3 * place] += dot(a, b);
      dots_[3 * place + 1] += dot(a, a);
      dots_[3 * place + 2] += dot(b, b);
    });
    reduce.sum(dots_);
    for_each([&](RowPart<T>& part, const Pair& pair, std::size_t place) {
      combine(part.rows[pair.a], part.rows[pair.b], part.size, dots_of(place));
    });
  }

 private:
  std::size_t places() const { return wanted_.size() * pairs_.size(); }

  template <typename Visit>
  void for_each(const Visit& visit) {
    for (RowPart<T>& part : parts_) {
      if (part.tensor >= wanted_.size() || wanted_[part.tensor] == 0) continue;
      for (const Pair& pair : pairs_) visit(part, pair, part.tensor * pairs_.size() + pair.index);
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

  PairDots dots_of(std::size_t place) const {
    return {exponent(2 * place), exponent(2 * place + 1), dots_[3 * place], dots_[3 * place + 1],
            dots_[3 * place + 2]};
  }

  // a = (a - a.b / (2|a|^2) a) + (b - a.b / (2|b|^2) b). Each subtracted term is at most half as long as the
  // other vector, but its coefficient alone may overflow.
  static void combine(T* a, const T* b, std::size_t size, const PairDots& dots) {
    const double off_a = dots.aa == 0 ? 0 : dots.ab / dots.aa / 2;
    const double off_b = dots.bb == 0 ? 0 : dots.ab / dots.bb / 2;
    for (std::size_t i = 0; i < size; ++i) {
      const double x = to_double(a[i]);
      const double y = to_double(b[i]);
      const double less_x = std::ldexp(off_a * std::ldexp(x, -dots.exponent_a), dots.exponent_b);
      const double less_y = std::ldexp(off_b * std::ldexp(y, -dots.exponent_b), dots.exponent_a);
      round_to(a[i], (x - less_x) + (y - less_y));
    }
  }

  RowParts<T>& parts_;
  std::vector<Pair> pairs_;
  std::span<const char> wanted_;
  std::vector<double> peaks_;
  std::vector<double> dots_;
};

}  // namespace

template <typename T>
void combine_pairwise(RowParts<T>& parts, const StridedRows& nodes, std::span<const char> wanted,
                      ScalarReduce& reduce) {
  for (std::size_t distance = nodes.stride; distance < nodes.rows.size(); distance *= 2) {
    std::vector<Pair> pairs;
    for (std::size_t a = nodes.rows.begin; a + distance < nodes.rows.end; a += 2 * distance)
      pairs.push_back({a, a + distance, pairs.size()});
    PairLevel<T>(parts, pairs, wanted).run(reduce);
  }
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
