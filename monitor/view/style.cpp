// SPDX-License-Identifier: Apache-2.0
#include "monitor/view/style.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

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

}  // namespace adarun::monitor
