// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

namespace adarun::ranktable {

enum class AddressFamily { ipv4, ipv6 };

/// A parsed address.
struct Address {
  AddressFamily family = AddressFamily::ipv4;
  std::array<unsigned char, 16> bytes{};  ///< In network order; IPv4 uses the first four.

  bool operator==(const Address&) const = default;
  bool operator<(const Address& other) const {
    return std::tie(family, bytes) < std::tie(other.family, other.bytes);
  }
};

/// For unordered containers of addresses.
struct AddressHash {
  std::size_t operator()(const Address& address) const {
    return std::hash<std::string_view>()(
        {reinterpret_cast<const char*>(address.bytes.data()), address.bytes.size()});
  }
};

/// Parses an IPv4 (dotted quad, no leading zeros) or IPv6 address, without zone or prefix length.
std::optional<Address> parse_address(std::string_view text);

/// The canonical text form: "fe80::1".
std::string canonical(const Address& address);

/// Whether `text` is a placeholder for an address not known yet: "-.-.-.-", "-1", or text with a "*".
bool is_placeholder(std::string_view text);

}  // namespace adarun::ranktable
