// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace adarun::cli {

/// How a word is highlighted on a terminal.
enum class AnsiStyle { bold, red, bold_red, green, yellow, cyan };

/// Highlights words if colour is wanted, else returns them unchanged.
class AnsiColors {
 public:
  explicit AnsiColors(bool wanted) : wanted_(wanted) {}

  std::string operator()(AnsiStyle style, const std::string& text) const;

 private:
  bool wanted_;
};

/// Whether to colour results. `choice`: the value of --color; "auto" means yes if they go to a terminal and
/// the variable NO_COLOR is unset or empty. `no_color`: its value, or null.
bool wants_color(const std::string& choice, const char* no_color, bool is_terminal);

}  // namespace adarun::cli
