// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/ssh/config/expand.h"

#include <pwd.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

#include "launcher/base/error.h"

namespace adarun::launcher {
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
