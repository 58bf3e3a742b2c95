// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace adasum::sockets {

/// Where a rank listens: a name or an address of its host, and a TCP port.
struct Endpoint {
  std::string host;
  std::uint16_t port = 0;

  bool operator==(const Endpoint&) const = default;
};

/// "node1:29500", or "[fd00::2]:29500" for an address with colons.
std::string to_text(const Endpoint& endpoint);

/// The same, back. Throws adasum::Error that quotes `text`.
Endpoint parse_endpoint(std::string_view text);

}  // namespace adasum::sockets
