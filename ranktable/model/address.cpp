// SPDX-License-Identifier: Apache-2.0
#include "ranktable/model/address.h"

#include <arpa/inet.h>

namespace adarun::ranktable {

std::optional<Address> parse_address(std::string_view text) {
  const std::string terminated(text);
  if (terminated.find('\0') != std::string::npos) return std::nullopt;
  Address address;
  if (::inet_pton(AF_INET, terminated.c_str(), address.bytes.data()) == 1) return address;
  address.family = AddressFamily::ipv6;
  if (::inet_pton(AF_INET6, terminated.c_str(), address.bytes.data()) == 1) return address;
  return std::nullopt;
}

std::string canonical(const Address& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const int family = address.family == AddressFamily::ipv4 ? AF_INET : AF_INET6;
  ::inet_ntop(family, address.bytes.data(), text.data(), text.size());
  return text.data();
}

bool is_placeholder(std::string_view text) {
  return text == "-.-.-.-" || text == "-1" || text.find('*') != std::string_view::npos;
}

}  // namespace adarun::ranktable
