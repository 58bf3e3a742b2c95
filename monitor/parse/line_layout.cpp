// SPDX-License-Identifier: Apache-2.0
#include "monitor/parse/line_layout.h"

namespace adarun::monitor {

void LineLayout::learn(std::string_view text) {
  size_ = text.size();
  text_.assign(text);
  text_.resize((size_ + lanes - 1) / lanes * lanes);
  for (std::size_t i = 0; i < text_.size(); i += lanes) {
    const Bytes alike = digits_alike(load(text_.data() + i));
    std::memcpy(text_.data() + i, &alike, lanes);
  }
  const std::size_t counted = size_ - (text_.empty() ? 0 : text_.size() - lanes);
  for (std::size_t i = 0; i < lanes; ++i) last_mask_[i] = i < counted ? 0xff : 0;
}

}  // namespace adarun::monitor
