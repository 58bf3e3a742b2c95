// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace adarun::ranktable {

/// The arguments that ask hccn_tool for the address of a card: "-i N -ip -g".
std::vector<std::string> hccn_tool_arguments(int card);

/// Likewise for its IPv6 address: "-i N -ip -inet6 -g".
std::vector<std::string> hccn_tool_ipv6_arguments(int card);

/// Likewise for the address of its virtual NIC, which tables of A3 super pods hold: "-i N -vnic -g".
std::vector<std::string> hccn_tool_vnic_arguments(int card);

/// What the tool said about one card.
struct ToolAnswer {
  enum class Kind {
    address,     ///< An address.
    no_address,  ///< That the card has none: "ipaddr:-.-.-.-".
    silent,      ///< Nothing about it: no output, or text without a colon.
  };
  Kind kind = Kind::silent;
  std::string address;  ///< Canonical.
};

/// Reads what hccn_tool printed for a card: the line "ipaddr:ADDRESS", or "vnic ipaddr:ADDRESS". Throws Error
/// quoting the text where it is something else, such as an error message.
ToolAnswer parse_hccn_tool(std::string_view output, int card);

}  // namespace adarun::ranktable
