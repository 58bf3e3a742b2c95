// SPDX-License-Identifier: Apache-2.0
#include "adasum/sockets/endpoint.h"

#include <charconv>

#include "adasum/types/error.h"

namespace adasum::sockets {

std::string to_text(const Endpoint& endpoint) {
  const bool has_colons = endpoint.host.find(':') != std::string::npos;
  const std::string host = has_colons ? "[" + endpoint.host + "]" : endpoint.host;
  return host + ":" + std::to_string(endpoint.port);
}

Endpoint parse_endpoint(std::string_view text) {
  const std::string unusable = "\"" + std::string(text) + "\": wanted HOST:PORT, or [ADDRESS]:PORT for IPv6";
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) throw Error(unusable);
  std::string_view host = text.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    throw Error(unusable);
  }
  Endpoint endpoint{std::string(host), 0};
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data() + colon + 1, end, endpoint.port);
  if (host.empty() || error != std::errc() || rest != end || endpoint.port == 0) throw Error(unusable);
  return endpoint;
}

}  // namespace adasum::sockets
