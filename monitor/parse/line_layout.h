// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "monitor/parse/byte_lanes.h"

namespace adarun::monitor {

/// How a line began: its characters, any digit being as good as another. Where the next line begins alike,
/// its numbers stand at the same places and have as many digits, which a few vector comparisons tell.
class LineLayout {
 public:
  /// Bytes that text must have behind its layout, so that numbers are read by whole words.
  static constexpr std::size_t room_behind = 8;

  /// Remembers how this text, the beginning of a line, looks.
  void learn(std::string_view text);

  /// Whether `text` begins so. False before anything was learnt, and where `text` is too short to tell.
  bool fits(std::string_view text) const {
    if (size_ == 0 || text.size() < text_.size() + room_behind) return false;
    const std::size_t last = text_.size() - lanes;
    Bytes differs{};
    for (std::size_t i = 0; i < last; i += lanes)
      differs |= digits_alike(load(text.data() + i)) ^ load(text_.data() + i);
    differs |= (digits_alike(load(text.data() + last)) ^ load(text_.data() + last)) & last_mask_;
    return !any(differs);
  }

  std::size_t size() const { return size_; }

 private:
  // The same bytes with each digit made '0'.
  static Bytes digits_alike(Bytes raw) {
    const Bytes digit = static_cast<Bytes>(raw - '0' < 10);
    return (raw & ~digit) | (digit & '0');
  }

  std::string text_;  ///< Digits are '0'; filled up with zeros to whole vectors.
  std::size_t size_ = 0;
  Bytes last_mask_{};  ///< The bytes of the last vector that count.
};

}  // namespace adarun::monitor
