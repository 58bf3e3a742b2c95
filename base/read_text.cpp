// SPDX-License-Identifier: Apache-2.0
#include "base/read_text.h"

#include <fstream>
#include <sstream>

namespace adarun::base {

std::string read_text(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

}  // namespace adarun::base
