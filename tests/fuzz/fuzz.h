// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <string_view>
#include <utility>

/// Takes the bytes of an input. It ends the program, by demand(), where they show a fault.
using FuzzTarget = void(std::string_view bytes);

/// The targets of a file with their subjects, a constant of the file: fuzz.cpp finds them.
class FuzzTargets {
 public:
  FuzzTargets(std::initializer_list<std::pair<const char*, FuzzTarget*>> targets);
};

/// Ends the program; the fuzzer reports this with the input that caused it.
inline void demand(bool holds) {
  if (!holds) std::abort();
}

/// Removes the first line of `text` and returns it without its end.
inline std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

/// Removes the first byte and returns it; 0 if there is none.
inline unsigned take_byte(std::string_view& bytes) {
  if (bytes.empty()) return 0;
  const auto first = static_cast<std::uint8_t>(bytes.front());
  bytes.remove_prefix(1);
  return first;
}
