// SPDX-License-Identifier: Apache-2.0
#include "ranktable/json/cursor.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstring>

#include "base/clean_text.h"
#include "ranktable/model/decimal.h"
#include "ranktable/model/error.h"
#include "ranktable/model/quote.h"

namespace adarun::ranktable {

void JsonCursor::skip_blanks() {
  constexpr std::string_view indentation = "        ";  // most of a table's text
  for (; at_ < text_.size(); ++at_) {
    const char next = text_[at_];
    if (next != ' ' && next != '\n' && next != '\t' && next != '\r') return;
    while (text_.size() - at_ > indentation.size() &&
           std::memcmp(text_.data() + at_ + 1, indentation.data(), indentation.size()) == 0)
      at_ += indentation.size();
  }
}

void JsonCursor::fail_wanting(const std::string& wanted) const {
  fail("found " + found() + ", wanted " + wanted);
}

void JsonCursor::fail_at(std::size_t offset, const std::string& what) const {
  const std::string_view before = text_.substr(0, offset);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t column = offset - (before.rfind('\n') + 1) + 1;  // npos + 1 is 0
  throw Error("line " + std::to_string(line) + ", column " + std::to_string(column) + ": " + what);
}

std::string JsonCursor::found() const {
  if (at_end()) return "the end";
  if (byte() > ' ' && byte() < 0x7F) return in_quotes(text_.substr(at_, 1));
  if (byte() == '\0') return "a zero byte";
  std::array<char, 16> name{};
  std::snprintf(name.data(), name.size(), "byte 0x%02x", static_cast<unsigned char>(byte()));
  return name.data();
}

namespace {

// For each byte: whether it is valid in a string by itself, without escape or following bytes.
constexpr auto plain_bytes = [] {
  std::array<bool, 256> plain{};
  for (std::size_t code = 0x20; code < 0x80; ++code) plain[code] = code != '"' && code != '\\';
  return plain;
}();

bool is_plain_byte(char byte) {
  return plain_bytes[static_cast<unsigned char>(byte)];
}

bool is_control(char byte) {
  return static_cast<unsigned char>(byte) < 0x20;
}

int hex_digit(char byte) {
  if (is_digit(byte)) return byte - '0';
  const char lower = static_cast<char>(byte | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

ScalarText text_from(std::size_t start, std::size_t end, bool unescaped) {
  return {static_cast<std::uint32_t>(start), static_cast<std::uint32_t>(end - start), unescaped};
}

// Reads a UTF-16 code unit: the four hex digits of \u.
char32_t read_unit(JsonCursor& cursor) {
  char32_t unit = 0;
  for (int i = 0; i < 4; ++i, cursor.advance()) {
    const int digit = hex_digit(cursor.byte());
    if (digit < 0) cursor.fail_wanting("four hex digits");
    unit = unit << 4U | static_cast<char32_t>(digit);
  }
  return unit;
}

void read_escape(JsonCursor& cursor, std::string& unescaped) {
  constexpr std::string_view letters = "\"\"\\\\//b\bf\fn\nr\rt\t";  // letter, then its byte
  const std::size_t start = cursor.offset();
  cursor.advance();
  for (std::size_t i = 0; i < letters.size(); i += 2) {
    if (cursor.byte() != letters[i]) continue;
    unescaped += letters[i + 1];
    cursor.advance();
    return;
  }
  if (!cursor.take('u')) cursor.fail_wanting("an escape");
  char32_t unit = read_unit(cursor);
  if (unit >= 0xD800 && unit < 0xDC00 && cursor.take('\\') && cursor.take('u')) {
    const char32_t low = read_unit(cursor);
    unit = low >= 0xDC00 && low < 0xE000 ? 0x10000 + ((unit & 0x3FFU) << 10U) + (low & 0x3FFU) : unit;
  }
  if (unit >= 0xD800 && unit < 0xE000) cursor.fail_at(start, "found half a surrogate pair, wanted both");
  append_utf8(unescaped, unit);
}

// Reads a string that is not plain, from `start` to its end.
ScalarText read_rest_of_string(JsonCursor& cursor, std::size_t start, std::string& unescaped) {
  const std::size_t unescaped_start = unescaped.size();
  unescaped += cursor.text().substr(start, cursor.offset() - start);
  while (cursor.byte() != '"') {
    if (cursor.byte() == '\\') {
      read_escape(cursor, unescaped);
      continue;
    }
    if (is_control(cursor.byte())) cursor.fail_wanting("the end of the string");
    const base::CodePoint next = base::first_code_point(cursor.rest());
    if (!next.valid) {
      cursor.advance(next.size_bytes);
      cursor.fail_wanting("UTF-8");
    }
    unescaped += cursor.rest().substr(0, next.size_bytes);
    cursor.advance(next.size_bytes);
  }
  cursor.advance();
  return text_from(unescaped_start, unescaped.size(), true);
}

void read_digits(JsonCursor& cursor) {
  if (!is_digit(cursor.byte())) cursor.fail_wanting("a digit");
  while (is_digit(cursor.byte())) cursor.advance();
}

}  // namespace

ScalarText read_json_string(JsonCursor& cursor, std::string& unescaped) {
  cursor.advance();
  const std::size_t start = cursor.offset();
  const std::string_view rest = cursor.rest();
  const auto special = std::find_if_not(rest.begin(), rest.end(), is_plain_byte);
  cursor.advance(static_cast<std::size_t>(special - rest.begin()));
  const std::size_t end = cursor.offset();
  if (!cursor.take('"')) return read_rest_of_string(cursor, start, unescaped);
  return text_from(start, end, false);
}

ScalarText read_json_number(JsonCursor& cursor) {
  const std::size_t start = cursor.offset();
  if (!cursor.take('-') && !is_digit(cursor.byte())) cursor.fail_wanting("a value");
  if (!cursor.take('0')) read_digits(cursor);
  if (cursor.take('.')) read_digits(cursor);
  if (cursor.take('e') || cursor.take('E')) {
    if (!cursor.take('+')) cursor.take('-');
    read_digits(cursor);
  }
  return text_from(start, cursor.offset(), false);
}

ScalarText read_json_word(JsonCursor& cursor, std::string_view word) {
  if (!cursor.rest().starts_with(word)) cursor.fail_wanting("a value");
  const std::size_t start = cursor.offset();
  cursor.advance(word.size());
  return text_from(start, cursor.offset(), false);
}

}  // namespace adarun::ranktable
