// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace adarun::launcher {

/// The end of a text that arrives in pieces: why a program failed comes last, behind whatever it printed
/// before.
class TextEnd {
 public:
  explicit TextEnd(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  void append(std::string_view piece) {
    text_ += piece;
    if (text_.size() > most_bytes_) text_.erase(0, text_.size() - most_bytes_);
  }

  /// The last bytes, as many as are kept.
  const std::string& text() const { return text_; }

 private:
  std::size_t most_bytes_;
  std::string text_;
};

}  // namespace adarun::launcher
