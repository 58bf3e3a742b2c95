// SPDX-License-Identifier: Apache-2.0
#include "adasum/communicators/communicator.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace adasum {

std::optional<int> first_without(bool has, Communicator& communicator) {
  const std::byte mine{has ? std::uint8_t{0} : std::uint8_t{1}};
  std::vector<std::byte> all(static_cast<std::size_t>(communicator.size()));
  communicator.all_gather({&mine, 1}, all);
  const auto first = std::ranges::find(all, std::byte{1});
  if (first == all.end()) return std::nullopt;
  return static_cast<int>(first - all.begin());
}

}  // namespace adasum
