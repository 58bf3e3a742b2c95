// SPDX-License-Identifier: Apache-2.0
#include "adasum/kernels/pair.h"

#include <cassert>
#include <cstddef>

namespace adasum::kernels {
namespace {

// One sum per lane: the compiler may not reorder a single running sum into a vector register.
constexpr std::size_t lanes = 4;

double total(const double (&sums)[lanes]) {
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

}  // namespace

template <typename T>
Dots dots(std::span<const T> a, std::span<const T> b) {
  assert(a.size() == b.size());
  double ab[lanes] = {};
  double aa[lanes] = {};
  double bb[lanes] = {};
  const auto add = [&](std::size_t lane, double x, double y) {
    ab[lane] += x * y;
    aa[lane] += x * x;
    bb[lane] += y * y;
  };
  std::size_t i = 0;
  for (; i + lanes <= a.size(); i += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) add(lane, a[i + lane], b[i + lane]);
  }
  for (std::size_t lane = 0; i < a.size(); ++i, ++lane) add(lane, a[i], b[i]);
  return {total(ab), total(aa), total(bb)};
}

template <typename T>
void combine(std::span<T> a, double ca, std::span<const T> b, double cb) {
  assert(a.size() == b.size());
  T* __restrict out = a.data();
  const T* __restrict other = b.data();
  for (std::size_t i = 0; i < a.size(); ++i) {
    out[i] = static_cast<T>(ca * static_cast<double>(out[i]) + cb * static_cast<double>(other[i]));
  }
}

template Dots dots<float>(std::span<const float>, std::span<const float>);
template Dots dots<double>(std::span<const double>, std::span<const double>);
template void combine<float>(std::span<float>, double, std::span<const float>, double);
template void combine<double>(std::span<double>, double, std::span<const double>, double);

}  // namespace adasum::kernels
