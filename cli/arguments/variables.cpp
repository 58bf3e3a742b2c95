// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/variables.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "cli/arguments/command.h"
#include "ranktable/model/quote.h"

namespace adarun::cli {
namespace {

constexpr std::string_view exported_function = "BASH_FUNC_";

[[noreturn]] void refuse(const std::string& where, const std::string& why) {
  throw ExitError(exit_usage, where + ": " + why);
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool continues_name(char c) {
  return is_letter(c) || (c >= '0' && c <= '9');
}

// The rest of the line after "export" or "declare -x"; nullopt if it begins with neither.
std::optional<std::string_view> exported(std::string_view line) {
  for (const std::string_view word : std::array<std::string_view, 2>{"export", "declare -x"}) {
    if (!line.starts_with(word)) continue;
    const std::size_t name = line.find_first_not_of(" \t", word.size());
    if (name == word.size() || name == std::string_view::npos) continue;
    return line.substr(name);
  }
  return std::nullopt;
}

using EarlierValues = std::map<std::string, std::string, std::less<>>;

constexpr std::size_t most_expanded_bytes = std::size_t{8} << 20U;  // More than exec takes of all.

// Reads the value in a line.
struct LineReader {
  const EarlierValues& earlier;
  std::size_t& expanded;     ///< The bytes that variables of the file were expanded to so far.
  bool is_shell;             ///< Behind export: a word of a shell.
  const std::string& where;  ///< File and line.

  // Whether a shell would expand the '$' at value[at].
  static bool is_expanded(std::string_view value, std::size_t at) {
    return value[at] == '$' && at + 1 < value.size() && (is_letter(value[at + 1]) || value[at + 1] == '{');
  }

  [[noreturn]] void refuse_unclear(std::string_view value, std::size_t at) const {
    refuse(where, ranktable::in_quotes(value.substr(at)) +
                      ": is it expanded? readers of such files disagree; wanted quotes around all of the "
                      "value, '...' to pass it on as it is");
  }

  // Appends the value of a variable at value[at], which is '$', and returns where it ends: ${NAME}, or $NAME,
  // of an earlier line. Without export, a '$' before anything but a name, '{' and '(' stays.
  std::size_t expand(std::string_view value, std::size_t at, std::string& text) const {
    const bool is_braced = value.substr(at + 1).starts_with('{');
    const std::size_t start = at + (is_braced ? 2 : 1);
    std::size_t end = start;
    while (end < value.size() && (end == start ? is_letter(value[end]) : continues_name(value[end]))) ++end;
    const std::string_view name = value.substr(start, end - start);
    if (value.substr(at).starts_with("$("))
      refuse(where, "$(...) is not expanded here; write the value itself, or, to pass the text on, in '...'");
    if (name.empty() && !is_braced && !is_shell) {
      if (value.substr(at).starts_with("$$") && is_expanded(value, at + 1)) refuse_unclear(value, at);
      text += '$';
      return at + 1;
    }
    const bool is_closed = !is_braced || (end < value.size() && value[end] == '}');
    const auto found = earlier.find(name);
    if (!is_closed || found == earlier.end())
      refuse(where,
             ranktable::in_quotes(value.substr(at, end - at + (is_closed && is_braced ? 1 : 0))) +
                 ": expanded only where an earlier line sets the variable; write the value itself, or, "
                 "to pass the text on, all of it in '...'");
    text += found->second;
    expanded += found->second.size();
    if (expanded > most_expanded_bytes) refuse(where, "expanded variables of more than 8 MiB in this file");
    return end + (is_braced ? 1 : 0);
  }

  // The text between the quotes that the value begins with; nullopt if there are none, or if something
  // follows that is no comment.
  std::optional<std::string> unquoted(std::string_view value) const {
    if (value.size() < 2 || (value.front() != '\'' && value.front() != '"')) return std::nullopt;
    const char quote = value.front();
    std::string text;
    for (std::size_t i = 1; i < value.size();) {
      if (value[i] == quote) return ends_at(value, i + 1) ? std::optional(text) : std::nullopt;
      if (quote == '"' && value[i] == '$') {
        i = expand(value, i, text);
        continue;
      }
      if (quote == '"' && value[i] == '`' && is_shell)
        refuse(where, "` is not expanded here; write the value itself, in '...'");
      const bool is_escape = quote == '"' && value[i] == '\\' && i + 1 < value.size() &&
                             std::string_view("\"\\$`").find(value[i + 1]) != std::string_view::npos;
      if (is_escape) ++i;
      text += value[i++];
    }
    return std::nullopt;
  }

  // Whether only blanks and a comment follow.
  static bool ends_at(std::string_view value, std::size_t at) {
    const std::size_t next = value.find_first_not_of(" \t", at);
    return next == std::string_view::npos || (value[next] == '#' && next > at);
  }

  std::string read(std::string_view value) const {
    if (const auto text = unquoted(value)) return *text;
    const std::size_t comment = std::min(value.find(" #"), value.find("\t#"));
    if (comment != std::string_view::npos && !is_shell)
      refuse(where, "is " + ranktable::in_quotes(value.substr(comment + 1)) +
                        " a comment? wanted it in a line of its own, or all of the value in '...'");
    if (is_shell) value = value.substr(0, comment);
    if (is_shell && value.find_last_not_of(" \t") != std::string_view::npos)
      value = value.substr(0, value.find_last_not_of(" \t") + 1);
    if (is_shell && value.find_first_of(" \t'\"\\;&|<>()`") != std::string_view::npos)
      refuse(where,
             "behind export, wanted a word without blanks and signs of a shell, or all of it in '...'");
    const bool has_quotes = value.find_first_of("'\"") != std::string_view::npos;
    std::string text;
    for (std::size_t i = 0; i < value.size();) {
      const bool is_escaped = i > 0 && value[i - 1] == '\\';
      if ((has_quotes || is_escaped) && is_expanded(value, i)) refuse_unclear(value, is_escaped ? i - 1 : i);
      if (value[i] == '$')
        i = expand(value, i, text);
      else
        text += value[i++];
    }
    return text;
  }
};

std::string_view name_in(std::string_view assignment, bool is_line, const std::string& where) {
  const std::size_t equals = assignment.find('=');
  const std::string_view name = assignment.substr(0, equals);
  if (equals == std::string_view::npos)
    refuse(where, "wanted NAME=VALUE, found " + ranktable::in_quotes(assignment) +
                      (is_line ? "; values of several lines come whole from env -0 > FILE" : ""));
  if (!is_variable_name(name) && !name.starts_with(exported_function))
    refuse(where, ranktable::in_quotes(name) +
                      " is no name of a variable: wanted letters, digits and _, no digit first");
  return name;
}

std::string_view trimmed(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  return line;
}

// "NAME = VALUE" -> the assignment without the blanks, as other readers of such files take it.
std::pair<std::string_view, std::string_view> split_assignment(std::string_view assignment, bool is_shell) {
  const std::size_t equals = assignment.find('=');
  std::string_view name = assignment.substr(0, equals);
  std::string_view value = assignment.substr(equals + 1);
  const std::size_t last = name.find_last_not_of(" \t");
  if (is_shell || last == std::string_view::npos || last + 1 == name.size()) return {name, value};
  value.remove_prefix(std::min(value.find_first_not_of(" \t"), value.size()));
  return {name.substr(0, last + 1), value};
}

// The lines of a file, one after the other.
class VariableLines {
 public:
  void add(std::string_view line, const std::string& where);
  std::vector<std::string> take() { return std::move(assignments_); }

 private:
  std::vector<std::string> assignments_;
  EarlierValues earlier_;  ///< What ${NAME} stands for.
  std::size_t expanded_ = 0;
};

void VariableLines::add(std::string_view line, const std::string& where) {
  line = trimmed(line);
  if (line.empty() || line.front() == '#') return;
  const std::optional<std::string_view> behind_export = exported(line);
  const std::string_view assignment = behind_export.value_or(line);
  // export -p writes variables without a value in this form, such as OLDPWD in a new shell.
  if (line.starts_with("declare") && is_variable_name(assignment)) return;
  const bool is_shell = behind_export.has_value();
  if (assignment.find('=') == std::string_view::npos) name_in(assignment, true, where);
  const auto [given, value] = split_assignment(assignment, is_shell);
  const std::string name(name_in(std::string(given) + '=', true, where));
  if (!is_variable_name(name))
    refuse(where, "a function of bash, which has several lines: leave it out, or write the file by env -0");
  std::string text = LineReader{earlier_, expanded_, is_shell, where}.read(value);
  assignments_.push_back(name + "=" + text);
  earlier_[name] = std::move(text);
}

void add_entry(Variables& variables, std::string_view entry, const std::string& where) {
  if (entry.empty()) return;
  const std::string_view name = name_in(entry, false, where);
  (is_variable_name(name) ? variables.assignments : variables.left_out)
      .emplace_back(is_variable_name(name) ? entry : name);
}

}  // namespace

bool is_variable_name(std::string_view name) {
  return !name.empty() && is_letter(name.front()) && std::all_of(name.begin(), name.end(), continues_name);
}

Variables parse_variables(std::string_view text, const std::string& file) {
  const bool has_entries = text.find('\0') != std::string_view::npos;
  const char end = has_entries ? '\0' : '\n';
  Variables variables;
  VariableLines lines;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::string where =
        has_entries ? file + ": entry " + std::to_string(number) : file + ":" + std::to_string(number);
    const std::size_t size = text.find(end);
    if (has_entries)
      add_entry(variables, text.substr(0, size), where);
    else
      lines.add(text.substr(0, size), where);
    text.remove_prefix(size == std::string_view::npos ? text.size() : size + 1);
  }
  if (!has_entries) variables.assignments = lines.take();
  return variables;
}

}  // namespace adarun::cli
