// SPDX-License-Identifier: Apache-2.0
#pragma once

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

}  // namespace adarun::monitor
