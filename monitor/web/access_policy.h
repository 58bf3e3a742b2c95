// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace adarun::monitor::web {

/// The parts of a request that decide whether it is answered.
struct AccessRequest {
  std::string method;
  std::string host;           ///< The header Host.
  std::string fetch_site;     ///< Sec-Fetch-Site, which browsers set and pages cannot.
  std::string cookie;         ///< Cookie.
  std::string authorization;  ///< Authorization.
  std::string token;          ///< The parameter token of the address.
};

/// Whether a request is answered; where it is not, the status and the words of the refusal.
struct AccessDecision {
  int status = 200;
  std::string words = {};

  bool allowed() const { return status == 200; }
};

/// Decides who is answered: only reading, only under a name that a foreign site cannot have made its own (DNS
/// rebinding), never on behalf of another site's page, and where there is a token, only who has it.
class AccessPolicy {
 public:
  /// With an empty `token` none is asked for. `machine` is this machine's name, by which it may be called
  /// beside its addresses and localhost.
  AccessPolicy(std::string token, std::string machine)
      : token_(std::move(token)), machine_(std::move(machine)) {}

  AccessDecision decide(const AccessRequest& asked) const;

  /// The header Set-Cookie that lets a browser in from now on; `port` tells servers of one machine apart.
  std::string cookie(int port) const;

  const std::string& token() const { return token_; }

 private:
  bool knows_host(std::string_view host) const;
  bool has_token(const AccessRequest& asked) const;

  std::string token_;
  std::string machine_;
};

/// 128 random bits in hexadecimal. Throws Error where the system gives none.
std::string new_token();

/// Whether both are the same, in a time that depends on their lengths alone.
bool same_secret(std::string_view one, std::string_view other);

}  // namespace adarun::monitor::web
