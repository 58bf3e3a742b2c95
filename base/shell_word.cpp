// SPDX-License-Identifier: Apache-2.0
#include "base/shell_word.h"

#include <algorithm>
#include <string_view>

namespace adarun::base {

std::string shell_word(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string shell_words(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + shell_word(word);
  return text;
}

std::string readable_word(const std::string& text) {
  const auto is_plain = [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-+./:,@%=").find(static_cast<char>(c)) != std::string_view::npos;
  };
  const bool plain = !text.empty() && std::all_of(text.begin(), text.end(), is_plain);
  return plain ? text : shell_word(text);
}

std::string one_line_word(const std::string& text) {
  const auto is_control = [](unsigned char c) { return c < ' ' || c == 0x7F; };
  if (std::none_of(text.begin(), text.end(), is_control)) return readable_word(text);
  std::string quoted = "$'";
  for (const char c : text) {
    if (is_control(static_cast<unsigned char>(c))) {
      quoted += '\\';
      for (const int shift : {6, 3, 0}) quoted += static_cast<char>('0' + ((c >> shift) & 7));
    } else {
      if (c == '\'' || c == '\\') quoted += '\\';
      quoted += c;
    }
  }
  return quoted + "'";
}

}  // namespace adarun::base
