// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/ssh/config/pattern.h"

#include <algorithm>

namespace adarun::launcher {

bool matches_pattern(std::string_view text, std::string_view pattern) {
  std::size_t at = 0;
  std::size_t in_pattern = 0;
  std::size_t star = std::string_view::npos;  // The last `*`; it matches as much as is needed.
  std::size_t behind_star = 0;
  while (at < text.size()) {
    const bool more = in_pattern < pattern.size();
    if (more && pattern[in_pattern] == '*') {
      star = in_pattern++;
      behind_star = at;
    } else if (more && (pattern[in_pattern] == '?' || pattern[in_pattern] == text[at])) {
      ++in_pattern;
      ++at;
    } else if (star != std::string_view::npos) {
      in_pattern = star + 1;
      at = ++behind_star;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', in_pattern) == std::string_view::npos;
}

bool matches_patterns(std::string_view text, const std::vector<std::string>& patterns) {
  bool found = false;
  for (const std::string_view pattern : patterns) {
    const bool negated = pattern.starts_with('!');
    if (!matches_pattern(text, pattern.substr(negated ? 1 : 0))) continue;
    if (negated) return false;
    found = true;
  }
  return found;
}

std::vector<std::string> split_commas(std::string_view list) {
  std::vector<std::string> items;
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    if (comma > 0) items.emplace_back(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return items;
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

}  // namespace adarun::launcher
