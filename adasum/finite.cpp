// SPDX-License-Identifier: Apache-2.0
#include "adasum/finite.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "adasum/kernels/finite.h"

namespace adasum {

std::optional<int> first_without(bool has, Peers& peers) {
  const std::byte mine{has ? std::uint8_t{0} : std::uint8_t{1}};
  std::vector<std::byte> all(static_cast<std::size_t>(peers.size()));
  peers.all_gather({&mine, 1}, all);
  const auto first = std::ranges::find(all, std::byte{1});
  if (first == all.end()) return std::nullopt;
  return static_cast<int>(first - all.begin());
}

template <typename T>
std::optional<int> first_not_finite(std::span<const T> data, Peers& peers) {
  return first_without(kernels::is_finite(data), peers);
}

template std::optional<int> first_not_finite<float>(std::span<const float>, Peers&);
template std::optional<int> first_not_finite<double>(std::span<const double>, Peers&);

}  // namespace adasum
