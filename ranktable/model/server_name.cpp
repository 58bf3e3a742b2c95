// SPDX-License-Identifier: Apache-2.0
#include "ranktable/model/server_name.h"

#include <algorithm>

#include "base/clean_text.h"
#include "ranktable/model/error.h"
#include "ranktable/model/quote.h"

namespace adarun::ranktable {
namespace {

// Not isalnum(), which depends on the locale. Accepts all of Unicode beyond ASCII except controls, spaces of
// other widths, direction marks and line separators, most of which are in one block.
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

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char byte) { return !base::continues_code_point(byte); }));
}

void require_server_id(std::string_view server_id, std::size_t most) {
  if (server_id.empty()) throw Error("server_id: empty, wanted the name or address of the server");
  if (characters(server_id) > most)
    throw Error("server_id " + std::string(server_id) + ": " + std::to_string(characters(server_id)) +
                " characters, at most " + std::to_string(most));
  if (!is_server_name(server_id))
    throw Error("server_id " + in_quotes(server_id) + ": wanted " + std::string(server_name_letters));
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
