// SPDX-License-Identifier: Apache-2.0
#include "cli/console/terminal.h"

#include <unistd.h>

#include <algorithm>

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

constexpr std::chrono::milliseconds between_lines{100};
constexpr std::size_t bar_width = 20;

}  // namespace

std::string AnsiColors::operator()(AnsiStyle style, const std::string& text) const {
  return wanted_ ? "\x1b[" + std::string(code_of(style)) + "m" + text + "\x1b[0m" : text;
}

bool wants_color(const std::string& choice, const char* no_color, bool is_terminal) {
  const bool forbidden = no_color != nullptr && *no_color != '\0';
  return choice == "always" || (choice == "auto" && !forbidden && is_terminal);
}

TerminalLine::TerminalLine(std::FILE* out) : out_(out), is_terminal_(::isatty(STDERR_FILENO) != 0) {}

void TerminalLine::show(const std::string& text) {
  if (!due()) return;
  next_ = Clock::now() + between_lines;
  is_shown_ = true;
  std::fprintf(out_, "\r%s\x1b[K", text.c_str());
  std::fflush(out_);
}

void TerminalLine::clear() {
  if (!is_shown_) return;
  is_shown_ = false;
  std::fputs("\r\x1b[K", out_);
  std::fflush(out_);
}

std::string progress_bar(std::uint64_t done, std::uint64_t all) {
  const double share = all == 0 ? 1 : static_cast<double>(std::min(done, all)) / static_cast<double>(all);
  const auto full = static_cast<std::size_t>(share * bar_width);
  return "[" + std::string(full, '#') + std::string(bar_width - full, '.') + "]";
}

}  // namespace adarun::cli
