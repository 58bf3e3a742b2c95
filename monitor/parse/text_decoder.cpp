// SPDX-License-Identifier: Apache-2.0
#include "monitor/parse/text_decoder.h"

#include <cstddef>
#include <utility>

#include "base/foreign_text.h"

namespace adarun::monitor {
namespace {

constexpr std::string_view utf8_mark = "\xef\xbb\xbf";
constexpr std::string_view little_mark = "\xff\xfe";
constexpr std::string_view big_mark = "\xfe\xff";

// Whether two ASCII characters of two bytes each begin the text, with the zero bytes at `zero` and behind.
bool has_zeros_at(std::size_t zero, std::string_view text) {
  return text.size() >= 4 && text[zero] == '\0' && text[zero + 2] == '\0' && text[1 - zero] != '\0' &&
         text[3 - zero] != '\0';
}

// Whether more bytes may turn it into a mark.
bool may_be_a_mark(std::string_view text) {
  const auto begins = [text](std::string_view mark) {
    return text.size() < mark.size() && mark.starts_with(text);
  };
  return begins(utf8_mark) || begins(little_mark) || begins(big_mark);
}

}  // namespace

std::string_view TextDecoder::read(std::string_view bytes) {
  if (encoding_ == Encoding::bytes) return without_zeros(bytes);
  if (!held_.empty()) {
    held_ += bytes;
    text_.swap(held_);
    held_.clear();
    bytes = text_;
  }
  if (encoding_ == Encoding::unknown) look_at(bytes);
  switch (encoding_) {
    case Encoding::unknown:
      held_.assign(bytes);
      return {};
    case Encoding::bytes:
      return without_zeros(bytes);
    default:
      return decode(bytes);
  }
}

// Decides on the encoding and removes a mark, unless more bytes are needed.
void TextDecoder::look_at(std::string_view& bytes) {
  const bool may_be_wide = bytes.size() < 4 && bytes.find('\0') != std::string_view::npos;
  if (bytes.size() < 2 || may_be_wide || may_be_a_mark(bytes)) return;
  encoding_ = bytes.starts_with(little_mark) || has_zeros_at(1, bytes) ? Encoding::little_endian
              : bytes.starts_with(big_mark) || has_zeros_at(0, bytes)  ? Encoding::big_endian
                                                                       : Encoding::bytes;
  for (const std::string_view mark : {utf8_mark, little_mark, big_mark})
    if (bytes.starts_with(mark)) return bytes.remove_prefix(mark.size());
}

// The ASCII characters of UTF-16 are left where PowerShell has appended it to other text.
std::string_view TextDecoder::without_zeros(std::string_view bytes) {
  if (bytes.find('\0') == std::string_view::npos) return bytes;
  std::string text(bytes);
  std::erase(text, '\0');
  text_ = std::move(text);
  return text_;
}

// A surrogate without its other half becomes U+FFFD.
std::string_view TextDecoder::decode(std::string_view bytes) {
  constexpr std::uint32_t replacement = 0xfffd;
  std::string text;
  const std::size_t low = encoding_ == Encoding::little_endian ? 0 : 1;
  const auto unit_at = [&](std::size_t at) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + low])) |
           static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + 1 - low])) << 8U;
  };
  std::size_t at = 0;
  while (at + 2 <= bytes.size()) {
    const std::uint32_t unit = unit_at(at);
    const bool is_high = unit >= 0xd800 && unit < 0xdc00;
    if (is_high && at + 4 > bytes.size()) break;
    const std::uint32_t next = is_high ? unit_at(at + 2) : 0;
    const bool is_pair = next >= 0xdc00 && next < 0xe000;
    if (is_pair)
      base::append_utf8(text, 0x10000U + ((unit - 0xd800U) << 10U) + (next - 0xdc00U));
    else
      base::append_utf8(text, unit >= 0xd800 && unit < 0xe000 ? replacement : unit);
    at += is_pair ? 4 : 2;
  }
  held_.assign(bytes.substr(at));
  text_ = std::move(text);
  return text_;
}

}  // namespace adarun::monitor
