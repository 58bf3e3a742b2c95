// SPDX-License-Identifier: Apache-2.0
#include "monitor/web/access_policy.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "monitor/base/error.h"
#include "monitor/base/text.h"

namespace adarun::monitor::web {
namespace {

bool is_v6(const std::string& host) {
  in6_addr address{};
  return inet_pton(AF_INET6, host.c_str(), &address) == 1;
}

bool is_v4(const std::string& host) {
  in_addr address{};
  return inet_pton(AF_INET, host.c_str(), &address) == 1;
}

std::optional<int> port_in(std::string_view text) {
  constexpr int most = 65535;
  int port = 0;
  const char* end = text.data() + text.size();
  const auto [stop, wrong] = std::from_chars(text.data(), end, port);
  if (text.empty() || wrong != std::errc() || stop != end || port < 0 || port > most) return std::nullopt;
  return port;
}

std::optional<std::string> host_in(std::string_view text) {
  if (text == "localhost") return "127.0.0.1";
  const bool bracketed = text.size() > 2 && text.front() == '[' && text.back() == ']';
  std::string host(bracketed ? text.substr(1, text.size() - 2) : text);
  if (bracketed ? is_v6(host) : is_v4(host)) return host;
  return std::nullopt;
}

constexpr std::string_view cookie_name = "adarun_";

// The host in "host", "host:8080", "[::1]", "[::1]:8080", without brackets; empty if a bracket is missing.
std::string host_of(std::string_view header) {
  if (!header.empty() && header.front() == '[') {
    const std::size_t end = header.find(']');
    return std::string(end == std::string_view::npos ? std::string_view() : header.substr(1, end - 1));
  }
  return std::string(header.substr(0, header.find(':')));
}

// Visits the values of all our cookies, because a browser shares cookies between servers on different ports.
template <typename Take>
void each_cookie(std::string_view header, Take&& take) {
  while (!header.empty()) {
    const std::size_t end = std::min(header.find(';'), header.size());
    std::string_view pair = header.substr(0, end);
    header.remove_prefix(std::min(end + 1, header.size()));
    pair.remove_prefix(std::min(pair.find_first_not_of(' '), pair.size()));
    const std::size_t equals = pair.find('=');
    if (equals != std::string_view::npos && pair.substr(0, cookie_name.size()) == cookie_name)
      take(pair.substr(equals + 1));
  }
}

// Whether both are equal, in a time that depends only on their lengths.
bool same_secret(std::string_view one, std::string_view other) {
  if (one.size() != other.size()) return false;
  unsigned differs = 0;
  for (std::size_t i = 0; i < one.size(); ++i)
    differs |= static_cast<unsigned char>(one[i]) ^ static_cast<unsigned char>(other[i]);
  return differs == 0;
}

}  // namespace

bool ListenAddress::is_loopback() const {
  return host == "::1" || host.rfind("127.", 0) == 0;
}

ListenAddress parse_listen_address(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) {
    if (const auto port = port_in(text)) return {"127.0.0.1", *port};
  } else if (const auto host = host_in(text.substr(0, colon))) {
    if (const auto port = port_in(text.substr(colon + 1))) return {*host, *port};
  }
  throw Error("--serve \"" + std::string(text) +
              "\": wanted an address and a port, such as 127.0.0.1:0, [::1]:8080 or 0.0.0.0:8080");
}

std::string url_of(const ListenAddress& address) {
  const bool bracketed = address.host.find(':') != std::string::npos;
  return "http://" + (bracketed ? "[" + address.host + "]" : address.host) + ":" +
         std::to_string(address.port) + "/";
}

bool AccessPolicy::knows_host(std::string_view host) const {
  const std::string name = host_of(host);
  return is_v4(name) || is_v6(name) || same_word(name, "localhost") ||
         (!machine_.empty() && same_word(name, machine_));
}

bool AccessPolicy::has_token(const AccessRequest& asked) const {
  constexpr std::string_view bearer = "Bearer ";
  bool has = same_secret(asked.token, token_);
  if (asked.authorization.rfind(bearer, 0) == 0)
    has |= same_secret(std::string_view(asked.authorization).substr(bearer.size()), token_);
  each_cookie(asked.cookie, [&](std::string_view value) { has |= same_secret(value, token_); });
  return has;
}

AccessDecision AccessPolicy::decide(const AccessRequest& asked) const {
  if (asked.method != "GET" && asked.method != "HEAD")
    return {405, "This page is only read: GET and HEAD are answered."};
  if (!knows_host(asked.host))
    return {421,
            "Asked for under a name that is not this machine's. Use its address, its name or localhost."};
  if (asked.fetch_site == "cross-site" || asked.fetch_site == "same-site")
    return {403, "Asked for by a page of another site. Open the address by itself."};
  if (!token_.empty() && !has_token(asked))
    return {403,
            "A token is needed: open the whole address, with ?token=, that adarun monitor --serve printed."};
  return {};
}

std::string AccessPolicy::cookie(int port) const {
  return std::string(cookie_name) + std::to_string(port) + "=" + token_ +
         "; Path=/; HttpOnly; SameSite=Strict";
}

}  // namespace adarun::monitor::web
