// SPDX-License-Identifier: Apache-2.0
#include "base/clean_text.h"

#include <algorithm>
#include <cstdint>

namespace adarun::base {
namespace {

// The size of a code point by its lead byte, and the bits that this byte holds; size 0: not a lead byte.
struct Lead {
  std::size_t size_bytes;
  unsigned bits;
};

Lead lead_of(unsigned char byte) {
  if (byte < 0x80) return {1, byte};
  if (byte < 0xC2) return {0, 0};
  if (byte < 0xE0) return {2, byte & 0x1FU};
  if (byte < 0xF0) return {3, byte & 0x0FU};
  if (byte < 0xF5) return {4, byte & 0x07U};
  return {0, 0};
}

// The second byte has a narrower range after some lead bytes: this excludes overlong forms, surrogates and
// values above U+10FFFF.
bool follows(unsigned char lead, std::size_t position, unsigned char byte) {
  const bool second = position == 1;
  const unsigned char low = second && lead == 0xE0 ? 0xA0 : second && lead == 0xF0 ? 0x90 : 0x80;
  const unsigned char high = second && lead == 0xED ? 0x9F : second && lead == 0xF4 ? 0x8F : 0xBF;
  return low <= byte && byte <= high;
}

}  // namespace

CodePoint first_code_point(std::string_view text) {
  const auto byte_at = [text](std::size_t index) { return static_cast<unsigned char>(text[index]); };
  const Lead lead = lead_of(byte_at(0));
  if (lead.size_bytes == 0) return {};
  char32_t value = lead.bits;
  for (std::size_t i = 1; i < lead.size_bytes; ++i) {
    if (i >= text.size() || !follows(byte_at(0), i, byte_at(i))) return {0, i, false};
    value = value << 6U | (byte_at(i) & 0x3FU);
  }
  return {value, lead.size_bytes, true};
}

namespace {

constexpr std::string_view replacement = "\xef\xbf\xbd";
constexpr std::string_view ellipsis = "...";
constexpr char escape = '\x1b';

bool is_line_break(char c) {
  return c == '\n' || c == '\r';
}

bool breaks_line(std::uint32_t value) {
  return value == 0x2028 || value == 0x2029;
}

bool turns_text(std::uint32_t value) {
  return value == 0x200E || value == 0x200F || value == 0x061C || (value >= 0x202A && value <= 0x202E) ||
         (value >= 0x2066 && value <= 0x2069);
}

// The length of the escape sequence that `text` begins with: "ESC [ ... letter", "ESC ] ... BEL", "ESC X". If
// the sequence has no end, its ESC alone counts.
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

// Whether a terminal or a YAML parser treats a character as more than text.
bool is_obeyed(std::uint32_t value) {
  constexpr std::uint32_t byte_order_mark = 0xFEFF;
  return (value >= 0x7F && value < 0xA0) || value == byte_order_mark || breaks_line(value) ||
         turns_text(value);
}

void add_escaped(std::string& json, std::uint32_t value) {
  constexpr std::string_view digits = "0123456789abcdef";
  json += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) json += digits[(value >> shift) & 0xFU];
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
      const CodePoint point = first_code_point(bytes);
      taken = point.valid ? point.size_bytes : 1;
      const bool shown = point.valid && !turns_text(point.value) && !breaks_line(point.value) &&
                         (point.value < 0x80 || point.value >= 0xA0);
      text += shown ? bytes.substr(0, taken) : replacement;
    }
    bytes.remove_prefix(std::min(taken, bytes.size()));
  }
  return text;
}

std::string clean_line(std::string_view bytes, std::size_t most_bytes) {
  while (!bytes.empty() && is_line_break(bytes.back())) bytes.remove_suffix(1);
  std::string line(bytes);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == '\t' || is_line_break(c); }, ' ');
  line = clean_text(line);
  if (line.size() <= most_bytes) return line;
  std::size_t kept = most_bytes - ellipsis.size();
  while (kept > 0 && continues_code_point(line[kept])) --kept;
  line.resize(kept);
  return line.append(ellipsis);
}

std::string clean_lines(std::string_view bytes) {
  std::string lines;
  while (true) {
    const std::size_t end = bytes.find('\n');
    lines += clean_line(bytes.substr(0, end));
    if (end == std::string_view::npos) return lines;
    lines += '\n';
    bytes.remove_prefix(end + 1);
  }
}

std::string escape_controls(std::string_view json) {
  std::string text;
  text.reserve(json.size());
  while (!json.empty()) {
    const CodePoint point = first_code_point(json);
    const std::size_t taken = point.valid ? point.size_bytes : 1;
    if (point.valid && is_obeyed(point.value))
      add_escaped(text, point.value);
    else
      text += json.substr(0, taken);
    json.remove_prefix(taken);
  }
  return text;
}

}  // namespace adarun::base
