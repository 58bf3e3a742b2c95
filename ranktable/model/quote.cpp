// SPDX-License-Identifier: Apache-2.0
#include "ranktable/model/quote.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/clean_text.h"
#include "ranktable/model/error.h"

namespace adarun::ranktable {
namespace {

constexpr std::size_t max_shown_bytes = 80;
constexpr char32_t replacement = 0xFFFD;
constexpr std::string_view short_escapes = "\"\"\\\\\bb\ff\nn\rr\tt";  // each byte, then its letter

// For each byte: whether it needs no escape in a string.
constexpr auto plain_bytes = [] {
  std::array<bool, 256> plain{};
  for (std::size_t code = 0x20; code < 0x7F; ++code) plain[code] = code != '"' && code != '\\';
  return plain;
}();

bool is_plain(char byte) {
  return plain_bytes[static_cast<unsigned char>(byte)];
}

void append_unit(std::string& json, unsigned unit) {
  constexpr std::string_view digits = "0123456789abcdef";
  json += "\\u";
  for (const unsigned shift : {12U, 8U, 4U, 0U}) json += digits[unit >> shift & 0xFU];
}

void append_escaped(std::string& json, char32_t code_point) {
  for (std::size_t i = 0; i < short_escapes.size(); i += 2) {
    if (code_point != static_cast<char32_t>(short_escapes[i])) continue;
    json += '\\';
    json += short_escapes[i + 1];
    return;
  }
  if (code_point < 0x10000) return append_unit(json, code_point);
  append_unit(json, 0xD800U + ((code_point - 0x10000U) >> 10U));
  append_unit(json, 0xDC00U + ((code_point - 0x10000U) & 0x3FFU));
}

}  // namespace

void append_quoted(std::string& json, std::string_view text, Malformed malformed) {
  json += '"';
  while (true) {
    const auto special = std::find_if_not(text.begin(), text.end(), is_plain);
    const auto plain = static_cast<std::size_t>(special - text.begin());
    json.append(text.data(), plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const base::CodePoint next = base::first_code_point(text);
    if (!next.valid && malformed == Malformed::refused)
      throw Error("rank table: " + in_quotes(text) + ": text that is not UTF-8");
    append_escaped(json, next.valid ? next.value : replacement);
    text.remove_prefix(next.valid ? next.size_bytes : 1);
  }
  json += '"';
}

void append_utf8(std::string& text, char32_t code_point) {
  const auto add = [&text](char32_t byte) { text += static_cast<char>(byte); };
  const auto add_rest = [&add, code_point](unsigned shift) { add(0x80 | (code_point >> shift & 0x3F)); };
  if (code_point < 0x80) return add(code_point);
  if (code_point < 0x800) {
    add(0xC0 | code_point >> 6U);
  } else if (code_point < 0x10000) {
    add(0xE0 | code_point >> 12U);
    add_rest(6);
  } else {
    add(0xF0 | code_point >> 18U);
    add_rest(12);
    add_rest(6);
  }
  add_rest(0);
}

std::string cut_for_message(std::string text) {
  if (text.size() > max_shown_bytes) {
    text.erase(max_shown_bytes);
    text += "...";
  }
  return text;
}

std::string in_quotes(std::string_view text) {
  std::string quoted;
  append_quoted(quoted, text.substr(0, 2 * max_shown_bytes), Malformed::replaced);
  return cut_for_message(std::move(quoted));
}

}  // namespace adarun::ranktable
