// SPDX-License-Identifier: Apache-2.0
#include "ranktable/server_name.h"

#include "ranktable/json/quote.h"
#include "base/utf8.h"

namespace adarun::ranktable {
namespace {

// Not isalnum(), which asks the locale. Of what is not ASCII all but controls, blanks of other widths, marks
// of direction and ends of lines, which are in one block.
bool is_letter_or_digit(char32_t c) {
  if (c >= 0x80) return c > 0xA0 && (c < 0x2000 || c > 0x206F) && c != 0x3000 && c != 0xFEFF;
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool is_one_of(std::string_view signs, char32_t c) {
  return c < 0x80 && signs.find(static_cast<char>(c)) != std::string_view::npos;
}

bool is_control(char32_t code_point) {
  return code_point < 0x20 || (code_point >= 0x7F && code_point < 0xA0);
}

}  // namespace

bool is_server_name(std::string_view text) {
  if (text.empty() || is_one_of(".-%", static_cast<unsigned char>(text.front()))) return false;
  while (!text.empty()) {
    const base::CodePoint next = base::first_code_point(text);
    if (!next.valid || (!is_letter_or_digit(next.value) && !is_one_of("._-:%", next.value))) return false;
    text.remove_prefix(next.size_bytes);
  }
  return true;
}

bool has_control_characters(std::string_view text) {
  while (!text.empty()) {
    const base::CodePoint next = base::first_code_point(text);
    if (!next.valid || is_control(next.value)) return true;
    text.remove_prefix(next.size_bytes);
  }
  return false;
}

std::string printable(const std::string& text) {
  return has_control_characters(text) ? in_quotes(text) : text;
}

}  // namespace adarun::ranktable
