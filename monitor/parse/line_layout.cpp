// SPDX-License-Identifier: Apache-2.0
#include "monitor/parse/line_layout.h"

#include "monitor/parse/characters.h"

namespace adarun::monitor {

void LineLayout::learn(std::string_view text) {
  size_ = text.size();
  vectors_ = size_ <= most_bytes ? (size_ + lanes - 1) / lanes : 0;
  for (std::size_t i = 0; i < vectors_ * lanes; ++i) {
    const bool inside = i < size_;
    const bool digit = inside && is_digit(text[i]);
    text_[i / lanes][i % lanes] = static_cast<std::uint8_t>(digit ? '0' : inside ? text[i] : '\0');
    most_apart_[i / lanes][i % lanes] = digit ? 9 : inside ? 0 : 0xff;
  }
}

}  // namespace adarun::monitor
