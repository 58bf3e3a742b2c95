// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace adarun::monitor {

static_assert(std::endian::native == std::endian::little, "eight digits are read as a little-endian word");

/// Moves behind a run of digits and appends them to `number`, eight at a time. More than 19 digits overflow
/// it.
inline const char* read_digits(const char* at, const char* end, std::uint64_t& number) {
  constexpr std::array<std::uint64_t, 9> powers_of_ten{1,       10,        100,        1'000,      10'000,
                                                       100'000, 1'000'000, 10'000'000, 100'000'000};
  while (end - at >= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, sizeof word);
    // The high bit of each byte that is no digit, right up to the first of them.
    const std::uint64_t others =
        ((word + 0x4646464646464646U) | (word - 0x3030303030303030U)) & 0x8080808080808080U;
    const auto count = static_cast<unsigned>(std::countr_zero(others)) / 8;
    if (count == 0) return at;
    // The digits' values, led by zeros; neighbours are joined to two digits, to four, to eight.
    word = (word << (64 - 8 * count)) & 0x0f0f0f0f0f0f0f0fU;
    word = word * 10 + (word >> 8U);
    constexpr std::uint64_t low = 0x000000ff000000ffU;
    const std::uint64_t value =
        ((word & low) * 0x000f424000000064U + ((word >> 16U) & low) * 0x0000271000000001U) >> 32U;
    number = number * powers_of_ten[count] + value;
    at += count;
    if (count < 8) return at;
  }
  for (; at != end && *at >= '0' && *at <= '9'; ++at)
    number = number * 10 + static_cast<std::uint64_t>(*at - '0');
  return at;
}

}  // namespace adarun::monitor
