// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace adarun::cli {

/// How a word is set off on a terminal.
enum class AnsiStyle { bold, red, bold_red, green, yellow, cyan };

/// Sets words off where colour is wanted, and leaves them as they are where it is not.
class AnsiColors {
 public:
  explicit AnsiColors(bool wanted) : wanted_(wanted) {}

  std::string operator()(AnsiStyle style, const std::string& text) const;

 private:
  bool wanted_;
};

/// Whether results take colour. `choice`: of --color; "auto" means that they go to a terminal, and that the
/// variable NO_COLOR is not set or empty. `no_color`: its value, or null.
bool wants_color(const std::string& choice, const char* no_color, bool is_terminal);

}  // namespace adarun::cli
