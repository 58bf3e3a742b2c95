// SPDX-License-Identifier: Apache-2.0
#include "base/parse_json.h"

namespace adarun::base {

bool is_nested_too_deep(std::string_view json) {
  std::size_t depth = 0;
  bool is_in_text = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (is_in_text) {
      if (c == '\\') ++i;
      if (c == '"') is_in_text = false;
    } else if (c == '"') {
      is_in_text = true;
    } else if (c == '[' || c == '{') {
      if (++depth > most_json_depth) return true;
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return false;
}

std::string nested_too_deep_text() {
  return "arrays and objects lie more than " + std::to_string(most_json_depth) + " deep in one another";
}

}  // namespace adarun::base
