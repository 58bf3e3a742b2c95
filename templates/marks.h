// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace adarun::templates {

/// A piece of a template's text.
struct Mark {
  enum class Kind { text, place, list, end };
  Kind kind = Kind::text;
  std::string text;      ///< The text itself, or the name of the place or list.
  std::string filter;    ///< The filter of a place; may be empty.
  std::size_t line = 1;  ///< Line where it begins, from 1.

  bool operator==(const Mark&) const = default;
};

/// Splits `text` at its marks. `name` is its name in error messages. Throws Error for a mark that is not
/// closed or is empty.
std::vector<Mark> marks_of(const std::string& name, std::string_view text);

/// Throws Error: "NAME:LINE: why".
[[noreturn]] void fail_at(const std::string& name, std::size_t line, const std::string& why);

}  // namespace adarun::templates
