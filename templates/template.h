// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace adarun::templates {

/// A template that is wrong, or that asks for what is not there: "NAME:LINE: what is wrong".
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What a template is filled with: texts by name, and lists whose members are filled in one after the other.
struct Values {
  std::map<std::string, std::string> texts;
  std::map<std::string, std::vector<Values>> lists;
};

/// How a text is written where a template asks for it, such as a word of a shell.
using Filters = std::map<std::string, std::function<std::string(const std::string&)>>;

/// A text with places to fill in:
///
///     {{name}}            the text of that name, as it is
///     {{name|filter}}     the same, through one of the filters
///     {{#list}}...{{/list}}   what is between, for each member of the list; a name is looked up in the
///     member
///                         first, then in what is around it. Alone on a line, such a mark takes its line
///                         away.
///
/// Of more than two braces in a row the last two open a mark, so that `${{{name}}}` is a shell's `${NAME}`.
class Template {
 public:
  /// `name` is what errors call it. Throws Error for marks that do not close or match.
  Template(std::string name, std::string_view text);
  ~Template();

  /// The text, filled in. Throws Error naming what the values or filters lack.
  std::string render(const Values& values, const Filters& filters) const;

 private:
  struct Part;
  std::string name_;
  std::unique_ptr<Part> all_;
};

}  // namespace adarun::templates
