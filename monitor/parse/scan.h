// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace adarun::monitor {

/// A position in one line of a log, and the small steps that every format of a line is made of. Borrows the
/// line. Each `take_` moves behind what it found, or finds nothing and stays where it was.
class Scan {
 public:
  explicit Scan(std::string_view line) : line_(line) {}

  bool at_end() const { return at_ == line_.size(); }
  std::string_view rest() const { return line_.substr(at_); }

  /// What lies between `earlier`, a position in the same line, and here.
  std::string_view since(const Scan& earlier) const { return line_.substr(earlier.at_, at_ - earlier.at_); }

  /// The next word: letters, digits and '_', not beginning with a digit and not preceded by one of these.
  /// Skips whatever is before it. Empty at the end of the line.
  std::string_view next_word();

  void skip_spaces();
  bool take(char wanted);

  /// An unsigned number without sign, point, exponent or letter behind it.
  std::optional<std::uint64_t> take_count();

  /// A decimal number with optional sign, fraction and exponent, or nan, inf or infinity in any case; what
  /// follows must end it (a space, a closing bracket or quote, a comma, a full stop at the end of a
  /// sentence).
  std::optional<double> take_value();

 private:
  std::string_view line_;
  std::size_t at_ = 0;
};

/// Whether `text`, which follows a number, lets it end there.
bool ends_value(std::string_view text);

/// Whether two words are equal, A to Z being the same as a to z.
bool same_word(std::string_view left, std::string_view right);

/// The line as a terminal would leave it: without colours and other escape sequences, and of a text that was
/// overwritten after a carriage return only the last one. `buffer` is used only where something is removed.
std::string_view visible_text(std::string_view line, std::string& buffer);

}  // namespace adarun::monitor
