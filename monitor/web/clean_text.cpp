// SPDX-License-Identifier: Apache-2.0
#include "monitor/web/clean_text.h"

#include <algorithm>
#include <cstdint>

namespace adarun::monitor::web {
namespace {

constexpr std::string_view replacement = "\xef\xbf\xbd";
constexpr char escape = '\x1b';

struct CodePoint {
  std::uint32_t value = 0;
  std::size_t bytes = 0;  ///< 0: these bytes are none.
};

bool continues(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80;
}

// The code point that `text`, which is not empty, begins with; none where it is overlong, cut or no
// character.
CodePoint decode(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return {first, 1};
  const std::size_t bytes = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < bytes) return {};
  std::uint32_t value = first & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if (!continues(text[i])) return {};
    value = value << 6U | (static_cast<unsigned char>(text[i]) & 0x3FU);
  }
  const bool overlong = (bytes == 3 && value < 0x800) || (bytes == 4 && value < 0x10000);
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (overlong || surrogate || value > 0x10FFFF) return {};
  return {value, bytes};
}

bool turns_text(std::uint32_t value) {
  return value == 0x200E || value == 0x200F || value == 0x061C || (value >= 0x202A && value <= 0x202E) ||
         (value >= 0x2066 && value <= 0x2069);
}

// The length of the escape sequence that `text` begins with: "ESC [ ... letter", "ESC ] ... BEL", "ESC X".
// One that does not end is a single character.
std::size_t sequence_length(std::string_view text) {
  if (text.size() < 2) return 1;
  if (text[1] == '[') {
    const auto final = std::find_if(text.begin() + 2, text.end(), [](char c) { return c < ' ' || c > '?'; });
    return final != text.end() && *final >= '@' ? static_cast<std::size_t>(final - text.begin()) + 1 : 1;
  }
  if (text[1] == ']') {
    const auto final =
        std::find_if(text.begin() + 2, text.end(), [](char c) { return c == '\a' || c == escape; });
    if (final == text.end()) return 1;
    return static_cast<std::size_t>(final - text.begin()) + (*final == escape ? 2 : 1);
  }
  return text[1] >= '0' && text[1] <= '~' ? 2 : 1;
}

void add_picture(std::string& text, unsigned char control) {
  text += "\xe2\x90";
  text += static_cast<char>(0x80 + (control == 0x7F ? 0x21 : control));
}

}  // namespace

std::string clean_text(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  while (!bytes.empty()) {
    std::size_t taken = 1;
    const auto first = static_cast<unsigned char>(bytes[0]);
    if (bytes[0] == escape && (taken = sequence_length(bytes)) > 1) {
      // Left out.
    } else if ((first < ' ' && first != '\t') || first == 0x7F) {
      add_picture(text, first);
    } else {
      const CodePoint point = decode(bytes);
      taken = std::max<std::size_t>(point.bytes, 1);
      const bool shown =
          point.bytes > 0 && !turns_text(point.value) && (point.value < 0x80 || point.value >= 0xA0);
      text += shown ? bytes.substr(0, taken) : replacement;
    }
    bytes.remove_prefix(std::min(taken, bytes.size()));
  }
  return text;
}

}  // namespace adarun::monitor::web
