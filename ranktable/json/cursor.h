// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace adarun::ranktable {

/// A position in a JSON text, advanced while reading, and the error messages about it. Borrows the text.
class JsonCursor {
 public:
  explicit JsonCursor(std::string_view text) : text_(text) {}

  std::string_view text() const { return text_; }

  /// Bytes before this position.
  std::size_t offset() const { return at_; }
  bool at_end() const { return at_ >= text_.size(); }

  /// The byte here; 0 at the end.
  char byte() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  /// The text from here on.
  std::string_view rest() const { return text_.substr(at_); }

  void advance(std::size_t bytes = 1) { at_ += bytes; }

  /// Moves past `wanted` if it is here; returns whether it was.
  bool take(char wanted) {
    if (at_ == text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }

  /// Same, but throws Error if it is not here. `name` stands for it in the message.
  void require(char wanted, const char* name) {
    if (!take(wanted)) fail_wanting(name);
  }

  /// Moves past spaces, tabs and line ends.
  void skip_blanks();

  /// Throws Error with the line and column of this position, counted from 1; columns are bytes.
  [[noreturn]] void fail(const std::string& what) const { fail_at(at_, what); }

  /// Same, with what was found here and what was wanted.
  [[noreturn]] void fail_wanting(const std::string& wanted) const;

  /// `fail` for another position.
  [[noreturn]] void fail_at(std::size_t offset, const std::string& what) const;

 private:
  std::string found() const;

  std::string_view text_;
  std::size_t at_ = 0;
};

/// Where the text of a scalar is: in the JSON text, or, for a string that had escapes, in the unescaped text.
struct ScalarText {
  std::uint32_t at = 0;
  std::uint32_t size = 0;
  bool unescaped = false;
};

/// Reads the string whose opening quote is at `cursor`, and moves past it. If the string is not plain, its
/// value is appended to `unescaped`. Throws Error on an invalid string: control characters, invalid UTF-8,
/// unknown escapes, half a surrogate pair.
ScalarText read_json_string(JsonCursor& cursor, std::string& unescaped);

/// Reads the number at `cursor` and moves past it. Throws Error if there is none.
ScalarText read_json_number(JsonCursor& cursor);

/// Reads `word` ("true", "false", "null") and moves past it. Throws Error if it is not at `cursor`.
ScalarText read_json_word(JsonCursor& cursor, std::string_view word);

}  // namespace adarun::ranktable
