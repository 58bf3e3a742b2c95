// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/variables.h"

#include <algorithm>
#include <array>
#include <optional>

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

// The text between quotes around the whole value; nullopt if there are none.
std::optional<std::string> unquoted(std::string_view value, bool is_shell, const std::string& where) {
  if (value.size() < 2 || (value.front() != '\'' && value.front() != '"')) return std::nullopt;
  const char quote = value.front();
  std::string text;
  for (std::size_t i = 1; i < value.size(); ++i) {
    if (value[i] == quote) return i + 1 == value.size() ? std::optional(text) : std::nullopt;
    const bool is_special = quote == '"' && (value[i] == '$' || value[i] == '`');
    if (is_special && is_shell)
      refuse(where, "$ and ` are not expanded here; write the value itself, in '...'");
    const bool is_escape = quote == '"' && value[i] == '\\' && i + 1 < value.size() &&
                           std::string_view("\"\\$`").find(value[i + 1]) != std::string_view::npos;
    text += value[is_escape ? ++i : i];
  }
  return std::nullopt;
}

std::string value_of(std::string_view value, bool is_shell, const std::string& where) {
  if (const auto text = unquoted(value, is_shell, where)) return *text;
  if (is_shell && value.find_first_of(" \t'\"\\;&|<>()$`") != std::string_view::npos)
    refuse(where, "behind export, wanted a word without blanks and signs of a shell, or all of it in '...'");
  return std::string(value);
}

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

void add_line(Variables& variables, std::string_view line, const std::string& where) {
  line = trimmed(line);
  if (line.empty() || line.front() == '#') return;
  const std::optional<std::string_view> behind_export = exported(line);
  const std::string_view assignment = behind_export.value_or(line);
  // export -p writes variables without a value in this form, such as OLDPWD in a new shell.
  if (line.starts_with("declare") && is_variable_name(assignment)) return;
  const std::string name(name_in(assignment, true, where));
  if (!is_variable_name(name))
    refuse(where, "a function of bash, which has several lines: leave it out, or write the file by env -0");
  variables.assignments.push_back(
      name + "=" + value_of(assignment.substr(name.size() + 1), behind_export.has_value(), where));
}

void add_entry(Variables& variables, std::string_view entry, const std::string& where) {
  if (entry.empty()) return;
  const std::string_view name = name_in(entry, false, where);
  (is_variable_name(name) ? variables.assignments : variables.left_out)
      .emplace_back(is_variable_name(name) ? entry : name);
}

}  // namespace

bool is_variable_name(std::string_view name) {
  return !name.empty() && is_letter(name.front()) &&
         std::all_of(name.begin(), name.end(), [](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

Variables parse_variables(std::string_view text, const std::string& file) {
  const bool has_entries = text.find('\0') != std::string_view::npos;
  const char end = has_entries ? '\0' : '\n';
  Variables variables;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::string where =
        has_entries ? file + ": entry " + std::to_string(number) : file + ":" + std::to_string(number);
    const std::size_t size = text.find(end);
    (has_entries ? add_entry : add_line)(variables, text.substr(0, size), where);
    text.remove_prefix(size == std::string_view::npos ? text.size() : size + 1);
  }
  return variables;
}

}  // namespace adarun::cli
