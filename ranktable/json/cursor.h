// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace adarun::ranktable {

/// A place in a JSON text, which moves on as the text is read, and the messages about that place. Borrows the
/// text.
class JsonCursor {
 public:
  explicit JsonCursor(std::string_view text) : text_(text) {}

  std::string_view text() const { return text_; }

  /// Bytes before this place.
  std::size_t offset() const { return at_; }
  bool at_end() const { return at_ >= text_.size(); }

  /// The byte here; 0 at the end.
  char byte() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  /// The text from here on.
  std::string_view rest() const { return text_.substr(at_); }

  void advance(std::size_t bytes = 1) { at_ += bytes; }

  /// Moves behind `wanted` where it stands here, and says whether it does.
  bool take(char wanted) {
    if (at_ == text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }

  /// Likewise; throws Error where it does not. `name` stands for it in the message.
  void require(char wanted, const char* name) {
    if (!take(wanted)) fail_wanting(name);
  }

  /// Moves behind spaces, tabs and line ends.
  void skip_blanks();

  /// Throws Error with line and column of this place, counted from 1, the columns in bytes.
  [[noreturn]] void fail(const std::string& what) const { fail_at(at_, what); }

  /// Likewise, with what stands here and what was wanted instead.
  [[noreturn]] void fail_wanting(const std::string& wanted) const;

  /// `fail` of another place.
  [[noreturn]] void fail_at(std::size_t offset, const std::string& what) const;

 private:
  std::string found() const;

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace adarun::ranktable
