// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/ssh/config/config_text.h"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "launcher/base/error.h"

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

namespace {

std::string environment(const char* name, const std::string& otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : value;
}

}  // namespace

std::string expand_tokens(std::string_view text, const std::map<char, std::string>& tokens) {
  std::string expanded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto token = text[i] == '%' && i + 1 < text.size() ? tokens.find(text[i + 1]) : tokens.end();
    if (token != tokens.end()) {
      expanded += token->second;
      ++i;
    } else if (text.substr(i).starts_with("%%")) {
      expanded += '%';
      ++i;
    } else {
      expanded += text[i];
    }
  }
  return expanded;
}

std::string expand_environment(std::string_view text) {
  std::string expanded;
  while (true) {
    const std::size_t begin = text.find("${");
    const std::size_t end = text.find('}', begin == std::string_view::npos ? 0 : begin);
    if (begin == std::string_view::npos || end == std::string_view::npos) return expanded + std::string(text);
    const std::string name(text.substr(begin + 2, end - begin - 2));
    const char* value = std::getenv(name.c_str());
    if (value == nullptr) throw Error("the environment has no " + name);
    expanded += std::string(text.substr(0, begin)) + value;
    text.remove_prefix(end + 1);
  }
}

std::string expand_home(const std::string& path) {
  if (path == "~" || path.starts_with("~/")) return home_folder() + path.substr(1);
  return path;
}

// Looked up once: the user database may be on a slow network.
std::string home_folder() {
  static const std::string folder = [] {
    const passwd* entry = getpwuid(getuid());
    return entry == nullptr || entry->pw_dir == nullptr ? environment("HOME", "/") : entry->pw_dir;
  }();
  return folder;
}

std::string user_name() {
  static const std::string name = [] {
    const passwd* entry = getpwuid(getuid());
    return entry == nullptr || entry->pw_name == nullptr ? environment("USER", "root") : entry->pw_name;
  }();
  return name;
}

std::string machine_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

}  // namespace adarun::launcher
