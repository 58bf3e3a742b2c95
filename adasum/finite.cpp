// SPDX-License-Identifier: Apache-2.0
#include "adasum/finite.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace adasum {
namespace {

template <typename T>
bool is_finite(std::span<const T> data) {
  const T* values = data.data();
  int others = 0;
// No way out at the first one found: without it the loop fits vector registers.
#pragma omp simd reduction(| : others)
  for (std::size_t i = 0; i < data.size(); ++i) {
    others |= std::abs(values[i]) <= std::numeric_limits<T>::max() ? 0 : 1;  // NaN is not <= anything
  }
  return others == 0;
}

}  // namespace

template <typename T>
std::optional<int> first_not_finite(std::span<const T> data, Peers& peers) {
  const std::byte mine{is_finite(data) ? std::uint8_t{0} : std::uint8_t{1}};
  std::vector<std::byte> all(static_cast<std::size_t>(peers.size()));
  peers.all_gather({&mine, 1}, all);
  const auto first = std::ranges::find(all, std::byte{1});
  if (first == all.end()) return std::nullopt;
  return static_cast<int>(first - all.begin());
}

template std::optional<int> first_not_finite<float>(std::span<const float>, Peers&);
template std::optional<int> first_not_finite<double>(std::span<const double>, Peers&);

}  // namespace adasum
