// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>

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

/// "http://[::1]:8080/".
std::string url_of(const ListenAddress& address);

/// The parts of a request that decide whether it is answered.
struct AccessRequest {
  std::string method;
  std::string host;           ///< Header Host.
  std::string fetch_site;     ///< Header Sec-Fetch-Site; set by browsers, pages cannot change it.
  std::string cookie;         ///< Header Cookie.
  std::string authorization;  ///< Header Authorization.
  std::string token;          ///< Query parameter `token`.
};

/// Whether a request is answered; if not, the HTTP status and a message.
struct AccessDecision {
  int status = 200;
  std::string words = {};

  bool allowed() const { return status == 200; }
};

/// Decides which requests are answered. Only GET and HEAD are allowed. The Host header must be an address,
/// localhost or this machine's name, which prevents DNS rebinding. Requests made by pages of other sites are
/// refused. If there is a token, the request must contain it.
class AccessPolicy {
 public:
  /// With an empty `token` none is required. `machine` is this machine's name, accepted as host besides
  /// addresses and localhost.
  AccessPolicy(std::string token, std::string machine)
      : token_(std::move(token)), machine_(std::move(machine)) {}

  AccessDecision decide(const AccessRequest& asked) const;

  /// The header Set-Cookie that gives a browser the token; `port` distinguishes servers on one machine.
  std::string cookie(int port) const;

  const std::string& token() const { return token_; }

 private:
  bool knows_host(std::string_view host) const;
  bool has_token(const AccessRequest& asked) const;

  std::string token_;
  std::string machine_;
};

}  // namespace adarun::monitor::web
