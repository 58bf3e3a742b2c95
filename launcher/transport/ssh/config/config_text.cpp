// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/ssh/config/config_text.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>

#include "base/name_service.h"
#include "launcher/base/error.h"
#include "launcher/base/number.h"

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

std::string yes_or_no(std::string_view value) {
  const std::string lower = lower_case(value);
  return lower == "true" ? "yes" : lower == "false" ? "no" : lower;
}

namespace {

std::string environment(const char* name, const std::string& otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : value;
}

// Removes a variable, "${NAME}", from the front of a text: its value.
std::string take_variable(std::string_view& text) {
  const std::size_t end = text.find('}');
  if (end == std::string_view::npos) throw Error("\"${\" without \"}\"");
  const std::string name(text.substr(2, end - 2));
  const char* value = std::getenv(name.c_str());
  if (value == nullptr) throw Error("the environment has no " + name);
  text.remove_prefix(end + 1);
  return value;
}

// Removes a token, "%c", from the front of a text: its value.
std::string take_token(std::string_view& text, const Tokens& tokens) {
  const std::string token(text.substr(0, 2));
  const auto value = tokens.find(token.back());
  if (token != "%%" && (token.size() < 2 || value == tokens.end())) {
    std::string known = "%%";
    for (const auto& [letter, ignored] : tokens) known += std::string(" %") + letter;
    throw Error("no token " + token + " can stand here; wanted one of " + known);
  }
  text.remove_prefix(2);
  return token == "%%" ? "%" : value->second;
}

}  // namespace

std::string expand_tokens(const std::string& text, const Tokens& tokens, Value value) {
  const std::string whole = value == Value::path ? expand_home(text) : text;
  std::string expanded;
  for (std::string_view rest = whole; !rest.empty();) {
    if (rest.front() == '%') {
      expanded += take_token(rest, tokens);
    } else if (value == Value::path && rest.starts_with("${")) {
      expanded += take_variable(rest);
    } else {
      expanded += rest.front();
      rest.remove_prefix(1);
    }
  }
  return expanded;
}

std::string expand_home(const std::string& path) {
  if (!path.starts_with('~')) return path;
  const std::size_t end = std::min(path.find('/'), path.size());
  if (end == 1) return home_folder() + path.substr(1);
  const std::string name = path.substr(1, end - 1);
  const std::optional<base::User> user = base::user_named(name);
  if (!user) throw Error("there is no user " + name);
  return user->home + path.substr(end);
}

std::string address_in(const std::string& text) {
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* raw = nullptr;
  if (text.empty() || getaddrinfo(text.c_str(), nullptr, &hints, &raw) != 0) return "";
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> list(raw, &freeaddrinfo);
  std::array<char, NI_MAXHOST> name{};
  if (getnameinfo(raw->ai_addr, raw->ai_addrlen, name.data(), name.size(), nullptr, 0, NI_NUMERICHOST) != 0)
    return "";
  return lower_case(name.data()) == lower_case(text) ? text : name.data();
}

int port_in(const std::string& text) {
  constexpr int highest = 65535;
  if (const auto port = number<int>(text)) return *port >= 1 && *port <= highest ? *port : 0;
  const servent* service = getservbyname(text.c_str(), "tcp");
  return service == nullptr ? 0 : ntohs(static_cast<std::uint16_t>(service->s_port));
}

// Looked up once: the user database may be on a slow network.
std::string home_folder() {
  static const std::string folder = [] {
    const std::optional<base::User> user = base::user_of(getuid());
    return user ? user->home : environment("HOME", "/");
  }();
  return folder;
}

std::string user_name() {
  static const std::string name = [] {
    const std::optional<base::User> user = base::user_of(getuid());
    return user ? user->name : environment("USER", "root");
  }();
  return name;
}

std::string machine_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

}  // namespace adarun::launcher
