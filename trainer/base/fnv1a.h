// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace adarun::trainer {

constexpr std::uint64_t fnv1a_of_nothing = 0xCBF29CE484222325U;

/// FNV-1a, 64 bits (Fowler, Noll and Vo), over `bytes` after those of which it was `before`.
inline std::uint64_t fnv1a(std::span<const std::byte> bytes, std::uint64_t before = fnv1a_of_nothing) {
  std::uint64_t hash = before;
  for (const std::byte byte : bytes) hash = (hash ^ std::to_integer<std::uint64_t>(byte)) * 0x100000001B3U;
  return hash;
}

}  // namespace adarun::trainer
