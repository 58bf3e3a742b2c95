// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/line_cutter.h"

namespace adarun::monitor {

// These functions handle ASCII only, whatever the locale.

inline char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

inline bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// A letter or '_'.
inline bool is_letter(char c) {
  return (lower(c) >= 'a' && lower(c) <= 'z') || c == '_';
}

/// Whether `c` ends a line of a log.
inline bool ends_line(char c) {
  return base::ends_line(c, base::log_lines.end);
}

/// A letter, a digit or '_'.
inline bool is_word(char c) {
  return is_letter(c) || is_digit(c);
}

/// Whether two words are equal, ignoring the case of A to Z.
inline bool same_word(std::string_view left, std::string_view right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](char a, char b) { return lower(a) == lower(b); });
}

/// A loss in at most 7 columns: 0.8123, 12.35, 1.2e-05, nan, inf.
std::string loss_text(double loss);

/// "epoch 2 step 17".
std::string place_text(std::uint64_t epoch, std::uint64_t step);

/// A throughput without decimals: 1,281 images/s.
std::string throughput_text(double images_per_s);

/// Formats a time in ms since the Unix epoch as local time: 2026-11-21 10:02:11.
std::string clock_text(std::int64_t time_ms);

}  // namespace adarun::monitor
