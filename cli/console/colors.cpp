// SPDX-License-Identifier: Apache-2.0
#include "cli/console/colors.h"

namespace adarun::cli {
namespace {

// SGR codes of ECMA-48.
const char* code_of(AnsiStyle style) {
  switch (style) {
    case AnsiStyle::bold:
      return "1";
    case AnsiStyle::red:
      return "31";
    case AnsiStyle::bold_red:
      return "1;31";
    case AnsiStyle::green:
      return "32";
    case AnsiStyle::yellow:
      return "33";
    case AnsiStyle::cyan:
      return "36";
  }
  return "0";
}

}  // namespace

std::string AnsiColors::operator()(AnsiStyle style, const std::string& text) const {
  return wanted_ ? "\x1b[" + std::string(code_of(style)) + "m" + text + "\x1b[0m" : text;
}

bool wants_color(const std::string& choice, const char* no_color, bool is_terminal) {
  const bool forbidden = no_color != nullptr && *no_color != '\0';
  return choice == "always" || (choice == "auto" && !forbidden && is_terminal);
}

}  // namespace adarun::cli
