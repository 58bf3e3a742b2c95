// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace adarun::templates {

/// A piece of a template's text, in its order.
struct Mark {
  enum class Kind { text, place, list, end };
  Kind kind = Kind::text;
  std::string text;      ///< The text itself; else the name of the place or list.
  std::string filter;    ///< Of a place; may be empty.
  std::size_t line = 1;  ///< Where it begins, from 1.

  bool operator==(const Mark&) const = default;
};

/// `text` cut at its marks. `name` is what errors call it. Throws Error for a mark that does not close or is
/// empty.
std::vector<Mark> marks_of(const std::string& name, std::string_view text);

/// Throws Error: "NAME:LINE: why".
[[noreturn]] void fail_at(const std::string& name, std::size_t line, const std::string& why);

}  // namespace adarun::templates
