// SPDX-License-Identifier: Apache-2.0
#include "monitor/view/styled_line.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "base/clean_text.h"
#include "monitor/parse/scan.h"

namespace adarun::monitor {
namespace {

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

// As in the C library, the first of these variables that is set decides.
bool locale_is_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string_view value = variable(name);
    if (value.empty()) continue;
    for (const std::string_view utf8 : {"UTF-8", "utf-8", "UTF8", "utf8"}) {
      if (value.find(utf8) != std::string_view::npos) return true;
    }
    return false;
  }
  return false;
}

std::string_view sequence(Paint paint) {
  switch (paint) {
    case Paint::normal:
      return "";
    case Paint::dim:
      return "\x1b[90m";
    case Paint::curve:
      return "\x1b[36m";
    case Paint::good:
      return "\x1b[32m";
    case Paint::warning:
      return "\x1b[33m";
    case Paint::bad:
      return "\x1b[31m";
    case Paint::strong:
      return "\x1b[1m";
  }
  return "";
}

}  // namespace

Style style_for(std::FILE* out, bool color) {
  Style style;
  const std::string_view terminal = variable("TERM");
  style.color = color;
  style.unicode = locale_is_utf8();
  style.interactive = isatty(fileno(out)) == 1 && !terminal.empty() && terminal != "dumb";
  style.terminal = fileno(out);
  follow_size(style);
  return style;
}

void follow_size(Style& style) {
  winsize size{};
  if (style.terminal < 0 || ioctl(style.terminal, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 ||
      size.ws_row == 0)
    return;
  style.width = size.ws_col;
  style.height = size.ws_row;
}

StyledLine& StyledLine::add(std::string_view utf8, Paint paint) {
  const std::string_view fits = first_columns(utf8, std::max(left(), 0));
  if (fits.empty()) return *this;
  const bool painted = color_ && paint != Paint::normal;
  if (painted) bytes_ += sequence(paint);
  bytes_ += fits;
  if (painted) bytes_ += "\x1b[0m";
  columns_ += columns_of(fits);
  return *this;
}

StyledLine& StyledLine::pad_to(int column) {
  return column > columns_ ? add(std::string(static_cast<std::size_t>(column - columns_), ' ')) : *this;
}

StyledLine& StyledLine::add_right(std::string_view utf8, int field, Paint paint) {
  pad_to(columns_ + field - columns_of(utf8));
  return add(utf8, paint);
}

int columns_of(std::string_view utf8) {
  return static_cast<int>(
      std::count_if(utf8.begin(), utf8.end(), [](char c) { return !base::continues_code_point(c); }));
}

std::string_view first_columns(std::string_view utf8, int columns) {
  std::size_t end = 0;
  for (; end < utf8.size(); ++end) {
    if (!base::continues_code_point(utf8[end]) && columns-- == 0) break;
  }
  return utf8.substr(0, end);
}

std::string printable(std::string_view text) {
  std::string buffer;
  return base::clean_line(visible_text(text, buffer), std::string::npos);
}

}  // namespace adarun::monitor
