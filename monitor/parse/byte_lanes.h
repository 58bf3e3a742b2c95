// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace adarun::monitor {

/// Sixteen bytes that are looked at in one step: a vector that each compiler knows and each processor has.
inline constexpr std::size_t lanes = 16;
using Bytes = std::uint8_t __attribute__((vector_size(lanes)));

/// From any address.
inline Bytes load(const char* at) {
  Bytes bytes;
  std::memcpy(&bytes, at, lanes);
  return bytes;
}

/// Whether any of them is not zero.
inline bool any(Bytes bytes) {
  std::array<std::uint64_t, lanes / sizeof(std::uint64_t)> words{};
  std::memcpy(words.data(), &bytes, lanes);
  return (words[0] | words[1]) != 0;
}

}  // namespace adarun::monitor
