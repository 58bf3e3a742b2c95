// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace adarun::ranktable {

/// The arguments with which hccn_tool prints the address of a card: "-i N -ip -g".
std::vector<std::string> hccn_tool_arguments(int card);

/// The same for its IPv6 address: "-i N -ip -inet6 -g".
std::vector<std::string> hccn_tool_ipv6_arguments(int card);

/// The same for the address of its virtual NIC, which tables of A3 super pods contain: "-i N -vnic -g".
std::vector<std::string> hccn_tool_vnic_arguments(int card);

/// What the tool printed about one card.
struct ToolAnswer {
  enum class Kind {
    address,     ///< An address.
    no_address,  ///< The card has none: "ipaddr:-.-.-.-".
    silent,      ///< No information: no output, or text without a colon.
  };
  Kind kind = Kind::silent;
  std::string address;  ///< Canonical.
};

/// Parses the output of hccn_tool for a card: the line "ipaddr:ADDRESS", or "vnic ipaddr:ADDRESS". Throws
/// Error, which quotes the text, on anything else, such as an error message.
ToolAnswer parse_hccn_tool(std::string_view output, int card);

}  // namespace adarun::ranktable
