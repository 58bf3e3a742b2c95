// SPDX-License-Identifier: Apache-2.0
#include "ranktable/json/cursor.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>

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

}  // namespace adarun::ranktable
