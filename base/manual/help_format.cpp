// SPDX-License-Identifier: Apache-2.0
#include "base/manual/help_format.h"

#include <algorithm>
#include <sstream>
#include <utility>

namespace adarun::manual {
namespace {

constexpr std::size_t columns = 80;
constexpr std::size_t left_columns = 28;

/// A name, and its description from column 28 on.
std::string help_entry(const std::string& name, const std::string& description) {
  std::string text = "  " + name;
  if (description.empty()) return text + "\n";
  const bool fits = text.size() + 2 <= left_columns;
  text += fits ? std::string(left_columns - text.size(), ' ') : "\n" + std::string(left_columns, ' ');
  return text + wrapped(description, columns - left_columns, left_columns) + "\n";
}

bool is_everyday(const CLI::Option* option) {
  return option->get_group() == everyday_group;
}

// What stands before the examples, and the first of these.
std::string first_examples(const std::string& footer) {
  constexpr int most = 3;
  const std::size_t heading = footer.find("Examples:\n");
  if (heading == std::string::npos) return "";
  std::size_t end = footer.find('\n', heading) + 1;
  for (int i = 0; i < most && footer.compare(end, 2, "  ") == 0; ++i) end = footer.find('\n', end) + 1;
  return footer.substr(footer.find_first_not_of('\n'), end - footer.find_first_not_of('\n'));
}

}  // namespace

// CLI11 has "INT:INT in [1 - 9]", "TEXT:{a,b}", and names that were given to an option.
std::string type_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::string kind = type.substr(0, type.find(':'));
  if (kind == "INT" || kind == "UINT") return "N";
  if (kind == "FLOAT") return "NUMBER";
  const std::size_t choices = type.find(":{");
  if (choices == std::string::npos) return kind == "TEXT" ? kind : type;
  std::string words = type.substr(choices + 2, type.rfind('}') - choices - 2);
  std::replace(words.begin(), words.end(), ',', '|');
  return words;
}

std::string wrapped(const std::string& text, std::size_t width, std::size_t indent) {
  std::istringstream words(text);
  std::string lines;
  std::size_t used = 0;
  for (std::string word; words >> word;) {
    const bool is_first = used == 0;
    if (!is_first && used + 1 + word.size() > width) {
      lines += "\n" + std::string(indent, ' ');
      used = 0;
    } else if (!is_first) {
      lines += ' ';
      ++used;
    }
    lines += word;
    used += word.size();
  }
  return lines;
}

HelpFormat::HelpFormat() {
  column_width(left_columns);
}

std::string HelpFormat::make_option(const CLI::Option* option, bool is_positional) const {
  return help_entry(make_option_name(option, is_positional) + make_option_opts(option),
                    make_option_desc(option));
}

std::string HelpFormat::make_description(const CLI::App* app) const {
  const std::string text = Formatter::make_description(app);
  return text.empty() ? text : wrapped(text, columns, 0) + "\n";
}

std::string HelpFormat::make_subcommand(const CLI::App* command) const {
  return help_entry(command->get_name(), command->get_description());
}

// Which options exclude or need each other is said where they are given together.
std::string HelpFormat::make_option_opts(const CLI::Option* option) const {
  if (option->get_type_size() == 0) return "";
  const std::string type = type_of(*option);
  const bool is_list = option->get_expected_max() == CLI::detail::expected_max_vector_size;
  return (type.empty() ? "" : " " + type) + (is_list ? " ..." : "") +
         (option->get_required() ? " REQUIRED" : "");
}

std::string HelpFormat::make_option_desc(const CLI::Option* option) const {
  const std::string& value = option->get_default_str();
  return option->get_description() + (value.empty() ? "" : " (default: " + value + ")");
}

std::string HelpFormat::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const {
  const std::vector<const CLI::Option*> everyday = app->get_options(is_everyday);
  if (mode == CLI::AppFormatMode::Normal && !everyday.empty())
    return make_description(app) + make_usage(app, name) + make_group(everyday_group, false, everyday) +
           "\n" + first_examples(app->get_footer()) + "\n" + "All options: " + name + " --help-all\n";
  std::string text = Formatter::make_help(app, std::move(name), mode);
  for (std::size_t at = text.find("\n\n\n"); at != std::string::npos; at = text.find("\n\n\n", at))
    text.erase(at, 1);
  return text;
}

// Lines that begin with a blank are examples, which stay as they are; others are paragraphs.
std::string HelpFormat::make_footer(const CLI::App* app) const {
  std::istringstream lines(Formatter::make_footer(app));
  std::string text;
  std::string paragraph;
  const auto end_paragraph = [&] {
    if (!paragraph.empty()) text += wrapped(paragraph, columns, 0) + "\n";
    paragraph.clear();
  };
  for (std::string line; std::getline(lines, line);) {
    const bool is_text = !line.empty() && line.front() != ' ';
    if (is_text) paragraph += line + " ";
    if (is_text) continue;
    end_paragraph();
    text += line + "\n";
  }
  end_paragraph();
  return text;
}

}  // namespace adarun::manual
