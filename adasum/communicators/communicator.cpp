// SPDX-License-Identifier: Apache-2.0
#include "adasum/communicators/communicator.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "adasum/types/error.h"

namespace adasum {

void require_room(std::span<const std::byte> mine, std::span<std::byte> all, int ranks) {
  if (all.size() == mine.size() * static_cast<std::size_t>(ranks)) return;
  throw Error("all-gather of " + std::to_string(mine.size()) + " bytes from each of " +
              std::to_string(ranks) + " ranks: room for " + std::to_string(all.size()));
}

std::optional<int> first_without(bool has, Communicator& communicator) {
  const auto all = gather(communicator, std::byte{has ? std::uint8_t{0} : std::uint8_t{1}});
  const auto first = std::ranges::find(all, std::byte{1});
  if (first == all.end()) return std::nullopt;
  return static_cast<int>(first - all.begin());
}

}  // namespace adasum
