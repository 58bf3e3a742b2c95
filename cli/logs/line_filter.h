// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <regex.h>

#include <memory>
#include <string>
#include <string_view>

namespace adarun::cli {

/// Selects lines by a pattern, as `grep -E` does.
class LineFilter {
 public:
  /// `pattern`: a POSIX extended regular expression. Throws std::invalid_argument saying what is wrong with
  /// it.
  explicit LineFilter(const std::string& pattern);

  /// Whether the pattern occurs in the line, excluding its line end.
  bool takes(std::string_view line) const;

 private:
  struct FreeRegex {
    void operator()(regex_t* regex) const {
      regfree(regex);
      delete regex;  // NOLINT: made beside
    }
  };

  std::string text_;                           ///< The pattern, if it is plain text,
  std::unique_ptr<regex_t, FreeRegex> regex_;  ///< else compiled.
};

}  // namespace adarun::cli
