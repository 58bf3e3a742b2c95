// SPDX-License-Identifier: Apache-2.0
#include "base/manual/roff.h"

#include <algorithm>

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

// Escapes a line so that roff does not take it as a request.
std::string roff_line(const std::string& text) {
  const std::string line = roff_text(text);
  return (line.starts_with(".") ? "\\&" : "") + line + "\n";
}

bool keeps_form(const std::string& line) {
  return line.starts_with(" ");
}

}  // namespace

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

}  // namespace adarun::manual
