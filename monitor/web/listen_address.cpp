// SPDX-License-Identifier: Apache-2.0
#include "monitor/web/listen_address.h"

#include <arpa/inet.h>

#include <charconv>
#include <optional>

#include "monitor/base/error.h"

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

}  // namespace

bool is_ip_address(const std::string& host) {
  return is_v4(host) || is_v6(host);
}

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

}  // namespace adarun::monitor::web
