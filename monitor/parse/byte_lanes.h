// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace adarun::monitor {

/// Sixteen bytes that are processed in one step: a vector type that both compilers support and every
/// processor has.
inline constexpr std::size_t lanes = 16;
using Bytes = std::uint8_t __attribute__((vector_size(lanes)));

/// Loads from any address, aligned or not.
inline Bytes load(const char* at) {
  Bytes bytes;
  std::memcpy(&bytes, at, lanes);
  return bytes;
}

/// Whether any byte is not zero.
inline bool any(Bytes bytes) {
  std::array<std::uint64_t, lanes / sizeof(std::uint64_t)> words{};
  std::memcpy(words.data(), &bytes, lanes);
  return (words[0] | words[1]) != 0;
}

}  // namespace adarun::monitor
