// SPDX-License-Identifier: Apache-2.0
#include "launcher/links/link_rounds.h"

namespace adarun::launcher {

std::size_t rounds_of(std::size_t nodes) {
  return nodes < 2 ? 0 : nodes - 1 + nodes % 2;
}

// Nodes a and b of the first `rounds` meet where a + b = round (mod rounds); the one for which a = b meets
// the last node, which an odd number does not have.
std::optional<std::size_t> partner_of(std::size_t node, std::size_t round, std::size_t nodes) {
  const std::size_t rounds = rounds_of(nodes);
  if (rounds == 0) return std::nullopt;
  const auto other_of = [&](std::size_t a) { return (round + rounds - a) % rounds; };
  std::size_t other = 0;
  if (node < rounds) {
    other = other_of(node);
    if (other == node) other = rounds;
  } else {
    while (other_of(other) != other) ++other;
  }
  return other < nodes ? std::optional(other) : std::nullopt;
}

}  // namespace adarun::launcher
