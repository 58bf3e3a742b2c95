// SPDX-License-Identifier: Apache-2.0
#include "launcher/shell_word.h"

namespace adarun::launcher {

std::string shell_word(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

}  // namespace adarun::launcher
