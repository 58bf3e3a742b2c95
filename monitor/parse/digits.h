// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace adarun::monitor {

static_assert(std::endian::native == std::endian::little, "eight digits are read as a little-endian word");

inline constexpr std::size_t word_bytes = sizeof(std::uint64_t);

inline std::uint64_t word_at(const char* at) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, word_bytes);
  return word;
}

/// The number that the first `count` bytes of a word, 1 to 8 digits, make.
inline std::uint64_t value_of_digits(std::uint64_t word, unsigned count) {
  // The digits' values, led by zeros; neighbours are joined to two digits, to four, to eight.
  word = (word << (64 - 8 * count)) & 0x0f0f0f0f0f0f0f0fU;
  word = word * 10 + (word >> 8U);
  constexpr std::uint64_t low = 0x000000ff000000ffU;
  return ((word & low) * 0x000f424000000064U + ((word >> 16U) & low) * 0x0000271000000001U) >> 32U;
}

/// How many bytes of a word are digits before the first that is none.
inline unsigned count_of_digits(std::uint64_t word) {
  // The high bit of each byte that is no digit, right up to the first of them.
  const std::uint64_t others =
      ((word + 0x4646464646464646U) | (word - 0x3030303030303030U)) & 0x8080808080808080U;
  return static_cast<unsigned>(std::countr_zero(others)) / 8;
}

/// Appends the digits that a word at `at` begins with to `number`, and says how many there are: at most 8.
inline unsigned append_digits(const char* at, std::uint64_t& number) {
  static constexpr std::array<std::uint64_t, 9> powers{1,       10,        100,        1'000,      10'000,
                                                       100'000, 1'000'000, 10'000'000, 100'000'000};
  const std::uint64_t word = word_at(at);
  const unsigned count = count_of_digits(word);
  if (count > 0) number = number * powers[count] + value_of_digits(word, count);
  return count;
}

/// Moves behind a run of digits and appends them to `number`, eight at a time. More than 19 digits overflow
/// it.
inline const char* read_digits(const char* at, const char* end, std::uint64_t& number) {
  while (end - at >= static_cast<std::ptrdiff_t>(word_bytes)) {
    const unsigned count = append_digits(at, number);
    at += count;
    if (count < word_bytes) return at;
  }
  for (; at != end && *at >= '0' && *at <= '9'; ++at)
    number = number * 10 + static_cast<std::uint64_t>(*at - '0');
  return at;
}

/// Moves behind a run of digits.
inline const char* skip_digits(const char* at, const char* end) {
  while (end - at >= static_cast<std::ptrdiff_t>(word_bytes)) {
    const unsigned count = count_of_digits(word_at(at));
    at += count;
    if (count < word_bytes) return at;
  }
  while (at != end && *at >= '0' && *at <= '9') ++at;
  return at;
}

}  // namespace adarun::monitor
