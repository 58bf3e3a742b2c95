// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <regex.h>

#include <memory>
#include <string>
#include <string_view>

namespace adarun::cli {

/// Chooses lines by a pattern, as `grep -E` does.
class LineFilter {
 public:
  /// A POSIX extended regular expression. Throws std::invalid_argument that says what is wrong with it.
  explicit LineFilter(const std::string& pattern);

  /// Whether it is somewhere in the line; the line's end is no part of it.
  bool takes(std::string_view line) const;

 private:
  struct FreeRegex {
    void operator()(regex_t* regex) const {
      regfree(regex);
      delete regex;  // NOLINT: made beside
    }
  };

  std::string text_;                           ///< Where it is plain text,
  std::unique_ptr<regex_t, FreeRegex> regex_;  ///< else this.
};

}  // namespace adarun::cli
