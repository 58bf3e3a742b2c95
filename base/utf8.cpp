// SPDX-License-Identifier: Apache-2.0
#include "base/utf8.h"

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

}  // namespace adarun::base
