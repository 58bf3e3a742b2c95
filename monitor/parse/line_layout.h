// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "monitor/parse/byte_lanes.h"

namespace adarun::monitor {

/// How a line began: its characters, any digit being as good as another. Where the next line begins alike,
/// its numbers stand at the same places and have as many digits, which a few vector comparisons tell.
class LineLayout {
 public:
  /// Bytes that text must have behind its layout, so that numbers are read by whole words.
  static constexpr std::size_t room_behind = 8;

  /// Longer beginnings are not learnt.
  static constexpr std::size_t most_bytes = 8 * lanes;

  /// Remembers how this text, the beginning of a line, looks.
  void learn(std::string_view text);

  /// Whether `text` begins so. False before anything was learnt, and where `text` is too short to tell.
  bool fits(std::string_view text) const {
    if (vectors_ == 0 || text.size() < vectors_ * lanes + room_behind) return false;
    Bytes differs{};
    for (std::size_t i = 0; i < vectors_; ++i)
      differs |= static_cast<Bytes>((load(text.data() + i * lanes) ^ text_[i]) > most_apart_[i]);
    return !any(differs);
  }

  std::size_t size() const { return size_; }

 private:
  using Vectors = std::array<Bytes, most_bytes / lanes>;

  std::size_t size_ = 0;
  std::size_t vectors_ = 0;
  Vectors text_{};        ///< With '0' for each digit, which differs from other digits by their values, ...
  Vectors most_apart_{};  ///< ... so by 9 at most; other characters by 0, what is behind the text by all.
};

}  // namespace adarun::monitor
