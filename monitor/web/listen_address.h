// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace adarun::monitor::web {

/// The address on which the page is served.
struct ListenAddress {
  std::string host;  ///< An IPv4 or IPv6 address, without brackets.
  int port = 0;      ///< 0: any free port.

  /// Whether it can be reached only from this machine.
  bool is_loopback() const;

  bool operator==(const ListenAddress&) const = default;
};

/// Parses "127.0.0.1:8080", "[::1]:0", "localhost:0", "0.0.0.0:80", or a port alone, which means 127.0.0.1.
/// Throws Error on anything else: other names are not resolved.
ListenAddress parse_listen_address(std::string_view text);

/// Whether `host` is an IPv4 or IPv6 address, without brackets.
bool is_ip_address(const std::string& host);

/// "http://[::1]:8080/".
std::string url_of(const ListenAddress& address);

}  // namespace adarun::monitor::web
