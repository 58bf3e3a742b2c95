// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

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

/// The position, at or after `from`, of the next keyword or escape character (which may hide a keyword); npos
/// if there is none. Every line that reports a loss, a time, a throughput, an accuracy or a gradient contains
/// a keyword, and so does a line that holds only the number of an epoch; other lines need not be parsed.
/// Reads several GB/s.
std::size_t find_keyword(std::string_view text, std::size_t from);

/// Whether the text may report a loss of a validation or test: false only if it does not. As fast.
bool may_report_validation(std::string_view text);

}  // namespace adarun::monitor
