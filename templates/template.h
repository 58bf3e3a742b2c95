// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace adarun::templates {

/// An error in a template, or a name in it that has no value: "NAME:LINE: what is wrong".
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Values for a template: texts by name, and lists whose members are filled in one after the other.
struct Values {
  std::map<std::string, std::string> texts;
  std::map<std::string, std::vector<Values>> lists;
};

/// Functions by name that encode a text, for example quote it as a shell word.
using Filters = std::map<std::string, std::function<std::string(const std::string&)>>;

/// A text with places to fill in:
///
///     {{name}}                the text of that name, unchanged
///     {{name|filter}}         the same, passed through one of the filters
///     {{#list}}...{{/list}}   the text between, once for each member of the list; names are looked up in
///                             the member first, then in the enclosing values. If such a mark is alone
///                             on a line, the line is removed.
///
/// Of more than two braces in a row the last two open a mark, so that `${{{name}}}` gives `${NAME}` for a
/// shell.
class Template {
 public:
  /// `name` is its name in error messages. Throws Error for marks that are not closed or do not match.
  Template(std::string name, std::string_view text);

  /// The filled-in text. Throws Error that names the missing value or filter.
  std::string render(const Values& values, const Filters& filters) const;

 private:
  enum class Kind { text, place, list, end };

  /// A piece of the text: text as it is, a place, or a list with parts of its own.
  struct Part {
    Kind kind = Kind::text;
    std::string text;      ///< The text itself, or the name of the place or list.
    std::string filter;    ///< The filter of a place; may be empty.
    std::size_t line = 1;  ///< Line where it begins, from 1.
    std::vector<Part> parts = {};
  };

  [[noreturn]] void fail(std::size_t line, const std::string& why) const;
  Part mark_of(std::string_view inside, std::size_t line) const;
  std::vector<Part> split(std::string_view text) const;
  std::string text_of(const Part& place, const std::vector<const Values*>& around,
                      const Filters& filters) const;
  void render(const std::vector<Part>& parts, std::vector<const Values*>& around, const Filters& filters,
              std::string& text) const;

  std::string name_;
  std::vector<Part> parts_;
};

/// The text of a template compiled into the program, by the name of its output: "run_node.sh" for
/// run_node.sh.in in this folder. `name` must be one of them.
std::string_view built_in(std::string_view name);

}  // namespace adarun::templates
