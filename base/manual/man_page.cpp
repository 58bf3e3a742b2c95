// SPDX-License-Identifier: Apache-2.0
#include "base/manual/man_page.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <sstream>

#include "base/version.h"

namespace adarun::manual {
namespace {

constexpr std::size_t least_indent = 2;

std::string roff_char(char c) {
  switch (c) {
    case '\\':
      return "\\e";
    case '-':
      return "\\-";
    case '\'':
      return "\\(aq";
    case '`':
      return "\\(ga";
    case '^':
      return "\\(ha";
    case '~':
      return "\\(ti";
    default:
      return std::string(1, c);
  }
}

// Escapes `text` so that roff prints it unchanged, within a line.
std::string roff_text(const std::string& text) {
  std::string roff;
  for (const char c : text) roff += roff_char(c);
  return roff;
}

std::string roff_bold(const std::string& text) {
  return "\\fB" + roff_text(text) + "\\fR";
}

std::string roff_italic(const std::string& text) {
  return "\\fI" + roff_text(text) + "\\fR";
}

// Escapes a line so that roff does not take it as a request.
std::string roff_line(const std::string& text) {
  const std::string line = roff_text(text);
  return (line.starts_with(".") ? "\\&" : "") + line + "\n";
}

bool keeps_form(const std::string& line) {
  return line.starts_with(" ");
}

// A paragraph of help text as roff: lines that begin with blanks are kept as they are, others are filled.
std::string roff_paragraph(const std::vector<std::string>& lines) {
  std::string roff = ".PP\n";
  bool kept = false;
  for (const std::string& line : lines) {
    if (keeps_form(line) != kept) roff += kept ? ".EE\n.RE\n.PP\n" : ".RS 4\n.EX\n";
    kept = keeps_form(line);
    roff += roff_line(kept ? line.substr(std::min(line.find_first_not_of(' '), least_indent)) : line);
  }
  return roff + (kept ? ".EE\n.RE\n" : "");
}

using Lines = std::vector<std::string>;

// "adarun ranktable gen".
std::string full_name(const CLI::App& command) {
  const std::string& name = command.get_name();
  return command.get_parent() == nullptr ? name : full_name(*command.get_parent()) + " " + name;
}

std::string page_name(const CLI::App& command) {
  std::string name = full_name(command);
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

std::vector<const CLI::App*> shown_commands(const CLI::App& command) {
  return command.get_subcommands([](const CLI::App* each) { return !each->get_group().empty(); });
}

std::vector<const CLI::Option*> shown_options(const CLI::App& command, bool arguments) {
  return command.get_options([&](const CLI::Option* each) {
    return !each->get_group().empty() && each->get_positional() == arguments;
  });
}

std::string see(const CLI::App& command) {
  return roff_bold(page_name(command)) + "(1)";
}

/// The parts of the text below a command's options.
struct Footer {
  std::vector<Lines> lead;
  std::vector<Lines> examples;
  std::vector<Lines> notes;
  Lines exit_status;
};

std::vector<Lines> paragraphs_of(const std::string& text) {
  std::vector<Lines> paragraphs(1);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty())
      paragraphs.back().push_back(line);
    else if (!paragraphs.back().empty())
      paragraphs.emplace_back();
  }
  if (paragraphs.back().empty()) paragraphs.pop_back();
  return paragraphs;
}

Footer footer_of(const CLI::App& command) {
  Footer footer;
  const std::string status = "Exit status: ";
  for (Lines& lines : paragraphs_of(command.get_footer())) {
    const bool keeps_form =
        std::any_of(lines.begin(), lines.end(), [](const auto& l) { return l[0] == ' '; });
    if (lines.front().starts_with(status)) {
      lines.front().erase(0, status.size());
      footer.exit_status = lines;
    } else if (lines.front().starts_with("Example")) {
      footer.examples.emplace_back(lines.begin() + 1, lines.end());
    } else if (footer.examples.empty()) {
      footer.lead.push_back(lines);
    } else {
      (keeps_form ? footer.examples : footer.notes).push_back(lines);
    }
  }
  return footer;
}

std::string section(const std::string& title, const std::vector<Lines>& paragraphs) {
  if (paragraphs.empty()) return {};
  std::string roff = ".SH " + title + "\n";
  for (const Lines& lines : paragraphs) roff += roff_paragraph(lines);
  return roff;
}

std::string synopsis(const CLI::App& command, bool takes_words) {
  std::string roff = ".SH SYNOPSIS\n" + roff_bold(full_name(command)) + " [\\fIoption\\fR ...]";
  if (!shown_commands(command).empty()) roff += " \\fIcommand\\fR";
  for (const CLI::Option* option : shown_options(command, true)) {
    const std::string many = option->get_expected_max() > 1 ? " ..." : "";
    const std::string type = roff_italic(type_of(*option)) + many;
    roff += option->get_required() ? " " + type : " [" + type + "]";
  }
  const bool shows_words = takes_words && command.get_footer().find(" -- ") != std::string::npos;
  return roff + (shows_words ? " [\\-\\- \\fIword\\fR ...]" : "") + "\n";
}

std::string names_of(const std::set<CLI::Option*>& options) {
  std::string names;
  for (const CLI::Option* option : options) names += (names.empty() ? "" : ", ") + option->get_name();
  return names;
}

std::string told_of(const CLI::Option& option) {
  std::string text = option.get_description();
  if (!text.empty() && text.back() != '.') text += ".";
  if (option.get_required()) text += " Required.";
  if (!option.get_needs().empty()) text += " Goes with " + names_of(option.get_needs()) + ".";
  if (!option.get_excludes().empty()) text += " Does not go with " + names_of(option.get_excludes()) + ".";
  if (!option.get_envname().empty()) text += " Else of the variable " + option.get_envname() + ".";
  return roff_text(text);
}

std::string entry(const CLI::Option& option) {
  std::string names = option.get_positional() ? roff_italic(type_of(option)) : "";
  for (const std::string& name : option.get_snames())
    names += (names.empty() ? "" : ", ") + roff_bold("-" + name);
  for (const std::string& name : option.get_lnames())
    names += (names.empty() ? "" : ", ") + roff_bold("--" + name);
  if (!option.get_positional() && !type_of(option).empty()) names += " " + roff_italic(type_of(option));
  return ".TP\n" + names + "\n" + told_of(option) + "\n";
}

std::string options_section(const CLI::App& command) {
  std::string roff = ".SH OPTIONS\n";
  for (const bool arguments : {true, false})
    for (const CLI::Option* option : shown_options(command, arguments)) roff += entry(*option);
  return roff;
}

std::string commands_section(const CLI::App& command) {
  std::string roff;
  for (const CLI::App* inner : shown_commands(command))
    roff += ".TP\n" + see(*inner) + "\n" + roff_text(inner->get_description()) + ".\n";
  return roff.empty() ? roff : ".SH COMMANDS\n" + roff;
}

std::string see_also(const CLI::App& command) {
  const CLI::App* around = command.get_parent();
  if (around == nullptr) return {};
  std::string roff = see(*around);
  for (const CLI::App* beside : shown_commands(*around))
    if (beside != &command) roff += ",\n" + see(*beside);
  return ".SH SEE ALSO\n" + roff + "\n";
}

// In the form used by lists of pages, where it follows the name.
std::string short_description(std::string text) {
  if (text.size() > 1 && std::islower(static_cast<unsigned char>(text[1])) != 0)
    text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  if (text.ends_with('.')) text.pop_back();
  return text;
}

std::string title(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::toupper(c); });
  return name;
}

std::string man_page(const CLI::App& command, bool takes_words) {
  const std::string name = page_name(command);
  Footer footer = footer_of(command);
  std::string description = command.get_description();
  if (!description.ends_with('.')) description += '.';
  footer.lead.insert(footer.lead.begin(), Lines{description});
  std::string roff = ".\\\" Made by adarun " + base::version() + " of what its --help says.\n";
  roff += ".TH " + title(name) + " 1 \"\" \"adarun " + base::version() + "\" \"User Commands\"\n";
  roff += ".SH NAME\n" + roff_text(name) + " \\- " + roff_text(short_description(command.get_description())) +
          "\n";
  roff += synopsis(command, takes_words);
  roff += section("DESCRIPTION", footer.lead) + commands_section(command) + options_section(command);
  roff += section("EXAMPLES", footer.examples) + section("NOTES", footer.notes);
  if (!footer.exit_status.empty()) roff += section("EXIT STATUS", {footer.exit_status});
  return roff + see_also(command);
}

std::string outermost_name(const CLI::App& command) {
  const CLI::App* outermost = &command;
  while (outermost->get_parent() != nullptr && outermost->get_parent()->get_parent() != nullptr)
    outermost = outermost->get_parent();
  return outermost->get_name();
}

}  // namespace

std::vector<Page> man_pages(const CLI::App& command, const TakesWords& takes_words) {
  std::vector<Page> pages{{page_name(command), man_page(command, takes_words(outermost_name(command)))}};
  for (const CLI::App* inner : shown_commands(command))
    for (Page& page : man_pages(*inner, takes_words)) pages.push_back(std::move(page));
  return pages;
}

}  // namespace adarun::manual
